// SPDX-License-Identifier: MIT
#include "toolbox/repo/parameter.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace gray::repo {
namespace {

// Longer names are a mistake or an attack. The bound also keeps lines readable.
constexpr std::size_t kNameLengthMax = 128;
constexpr std::size_t kNumberLengthMax = 32;

bool is_lower_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool is_key(std::string_view text) {
  if (text.empty() || text.size() > kNameLengthMax || text.front() == '.' || text.back() == '.') return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_doubled_dot = text[i] == '.' && text[i + 1] == '.';  // the last character is no dot
    if (is_doubled_dot || !(is_lower_or_digit(text[i]) || text[i] == '_' || text[i] == '.')) return false;
  }
  return true;
}

bool is_device(std::string_view text) {
  return !text.empty() && text.size() <= kNameLengthMax && std::all_of(text.begin(), text.end(), [](char c) {
    return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z') || c == ':' || c == '.' || c == '_' || c == '-';
  });
}

bool is_word(std::string_view text) {
  return !text.empty() && text.size() <= kNameLengthMax &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

bool is_quantity(double number) {
  return std::isfinite(number) && number >= 0;
}

}  // namespace

std::optional<Name> parse_name(std::string_view text) {
  const std::size_t at = text.find('@');
  const std::string_view key = text.substr(0, at);
  if (!is_key(key)) return std::nullopt;
  if (at == std::string_view::npos) return Name{std::string(key), ""};
  const std::string_view device = text.substr(at + 1);
  if (!is_device(device)) return std::nullopt;
  return Name{std::string(key), std::string(device)};
}

std::string format_name(std::string_view key, std::string_view device) {
  std::string name(key);
  if (!device.empty()) name.append("@").append(device);
  return name;
}

bool is_well_formed(const Parameter& parameter) {
  return is_key(parameter.key) && (parameter.device.empty() || is_device(parameter.device)) &&
         is_quantity(parameter.value) && is_quantity(parameter.spread.value_or(0)) &&
         is_word(parameter.unit) && is_word(parameter.method) && is_word(parameter.date);
}

std::string environment_name(std::string_view key) {
  std::string name = "GRAY_PARAM_";
  for (const char c : key) {
    if (c >= 'a' && c <= 'z') {
      name += static_cast<char>(c - 'a' + 'A');
    } else {
      name += c == '.' ? '_' : c;
    }
  }
  return name;
}

std::optional<double> parse_number(std::string_view text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end || !is_quantity(number)) return std::nullopt;
  return number;
}

std::string format_number(double number) {
  std::array<char, kNumberLengthMax> buffer;
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  return error == std::errc{} ? std::string(buffer.data(), end) : "0";
}

std::string format_date(std::time_t seconds_since_epoch) {
  std::tm utc{};
  std::array<char, kNumberLengthMax> buffer;
  gmtime_r(&seconds_since_epoch, &utc);
  return std::string(buffer.data(), std::strftime(buffer.data(), buffer.size(), "%Y-%m-%dT%H:%M:%SZ", &utc));
}

}  // namespace gray::repo
