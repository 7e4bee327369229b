// SPDX-License-Identifier: MIT
#include "libgray/src/memory/account_text.hpp"

#include <charconv>

namespace gray::memory {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::uint64_t kNearlyUnlimited = std::uint64_t{1} << 62U;

}  // namespace

bool next_line(std::string_view& text, std::string_view& line) {
  if (text.empty()) return false;
  const std::size_t end = text.find('\n');
  line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return true;
}

std::string_view next_word(std::string_view& line) {
  const std::size_t start = line.find_first_not_of(kBlanks);
  if (start == std::string_view::npos) {
    line = {};
    return {};
  }
  line.remove_prefix(start);
  const std::string_view word = line.substr(0, line.find_first_of(kBlanks));
  line.remove_prefix(word.size());
  return word;
}

std::optional<std::uint64_t> parse_amount(std::string_view text) {
  const std::string_view word = next_word(text);
  if (word.empty() || !next_word(text).empty()) return std::nullopt;
  if (word == "max" || word == "unlimited") return kUnlimited;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value >= kNearlyUnlimited ? kUnlimited : value;
}

std::optional<std::uint64_t> find_amount(std::string_view text, std::string_view key) {
  std::string_view line;
  while (next_line(text, line)) {
    if (next_word(line) == key) return parse_amount(next_word(line));
  }
  return std::nullopt;
}

}  // namespace gray::memory
