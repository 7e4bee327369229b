// SPDX-License-Identifier: MIT
#include "microbench/curve.hpp"

#include <charconv>

namespace microbench {
namespace {

constexpr std::string_view kMark = ".x";

}  // namespace

std::string point_key(std::string_view curve, std::uint64_t x, std::string_view unit) {
  std::string word;
  for (const char c : unit) word += c == '/' ? std::string("_per_") : std::string(1, c);
  if (word == "1") word = "share";
  return std::string(curve) + std::string(kMark) + std::to_string(x) + "_" + word;
}

std::optional<CurvePoint> parse_point(std::string_view key) {
  const std::size_t mark = key.rfind(kMark);
  if (mark == std::string_view::npos || mark == 0) return std::nullopt;
  const char* end = key.data() + key.size();
  std::uint64_t x = 0;
  const auto [stop, error] = std::from_chars(key.data() + mark + kMark.size(), end, x);
  if (error != std::errc{} || stop == end || *stop != '_') return std::nullopt;
  return CurvePoint{std::string(key.substr(0, mark)), x};
}

}  // namespace microbench
