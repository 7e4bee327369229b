// SPDX-License-Identifier: MIT
#include "toolbox/html/axis.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <fmt/core.h>

#include "toolbox/cli/quantities.hpp"

namespace gray::html {
namespace {

constexpr double kValuesWanted = 7;
constexpr double kPowersWanted = 6;
// The smallest value whose logarithm is drawn.
constexpr double kTiny = 1e-12;
constexpr double kSecondNs = 1e9;
constexpr double kMinuteNs = 60 * kSecondNs;
// For longer times the round values are in minutes and hours.
constexpr double kMinutesRound[] = {1, 2, 5, 10, 15, 30, 60, 120, 180, 240, 360, 720, 1440};
// Steps between byte values, in the unit of the axis. With steps up to 100 the axis ends before the next unit begins. A longer step divides that unit evenly.
constexpr double kBytesRound[] = {1, 2, 5, 10, 20, 50, 100, 128, 256, 512};

bool counts_in_1024(Quantity quantity) {
  return quantity == Quantity::bytes || quantity == Quantity::bytes_per_s;
}

double scaled(double value, bool is_log) {
  return is_log ? std::log2(std::max(value, kTiny)) : value;
}

// The least number that is 1, 2 or 5 times a power of ten and not less than `value`.
double round_up(double value) {
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= value * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

double step_of_bytes(double least) {
  const double unit = std::pow(1024, std::floor(std::log2(std::max(least, 1.0)) / 10));
  for (const double factor : kBytesRound)
    if (factor * unit >= least * (1 - 1e-9)) return factor * unit;
  return 1024 * unit;
}

double step_of(double span, Quantity quantity) {
  const double least = span / kValuesWanted;
  if (quantity == Quantity::time_ns && least > kMinuteNs / 2) {
    for (const double minutes : kMinutesRound)
      if (minutes * kMinuteNs >= least) return minutes * kMinuteNs;
  }
  if (counts_in_1024(quantity)) return step_of_bytes(least);
  const double step = round_up(least);
  return quantity == Quantity::count ? std::max(step, 1.0) : step;
}

// Powers of two or ten. When there are many such values, some are left out. When there are hardly any, the two ends of the axis
// are used.
std::vector<double> round_powers(const Axis& axis) {
  const double base = counts_in_1024(axis.quantity) || axis.quantity == Quantity::count ? 2 : 10;
  const double first = std::ceil(std::log(std::max(axis.low, kTiny)) / std::log(base) - 1e-9);
  const double last = std::floor(std::log(std::max(axis.high, kTiny)) / std::log(base) + 1e-9);
  if (last - first < 1) return {axis.low, axis.high};
  const double stride = std::max(1.0, std::ceil((last - first) / kPowersWanted));
  std::vector<double> values;
  const auto steps = static_cast<int>((last - first) / stride + 1e-9);
  for (int i = 0; i <= steps; ++i) values.push_back(std::pow(base, first + i * stride));
  return values;
}

// "10.0 s" is "10 s", and "2 min 00 s" is "2 min".
std::string without_zeros(std::string text) {
  for (const char* rest : {" 00 s", " 00 min"}) {
    if (text.ends_with(rest)) text.resize(text.size() - std::string_view(rest).size());
  }
  const std::size_t dot = text.find('.');
  if (dot == std::string::npos) return text;
  const std::size_t end = std::min(text.find_first_not_of("0123456789", dot + 1), text.size());
  std::size_t last = end;
  while (last > dot + 1 && text[last - 1] == '0') --last;
  if (last == dot + 1) --last;
  return text.erase(last, end - last);
}

}  // namespace

double Axis::place(double value) const {
  const double span = scaled(high, is_log) - scaled(low, is_log);
  return span > 0 ? (scaled(value, is_log) - scaled(low, is_log)) / span : 0.5;
}

std::vector<double> round_values(const Axis& axis) {
  if (!(axis.high > axis.low)) return {axis.low};
  if (axis.is_log) return round_powers(axis);
  const double step = step_of(axis.high - axis.low, axis.quantity);
  std::vector<double> values;
  const double first = std::ceil(axis.low / step - 1e-9) + 0.0;
  const double last = std::floor(axis.high * (1 + 1e-9) / step);
  const auto steps = static_cast<int>(last - first);
  for (int i = 0; i <= steps; ++i) values.push_back((first + i) * step);
  return values;
}

std::string label(double value, Quantity quantity) {
  const auto bytes = static_cast<std::uint64_t>(std::max(std::llround(value), 0LL));
  switch (quantity) {
    case Quantity::bytes:
      return without_zeros(cli::format_bytes(bytes));
    case Quantity::bytes_per_s:
      return value == 0 ? "0" : without_zeros(cli::format_rate(value));
    case Quantity::time_ns:
      return value == 0 ? "0" : without_zeros(cli::format_duration_ns(value));
    case Quantity::per_second:
      return fmt::format("{:.0f}/s", value);
    case Quantity::number:
      return fmt::format("{:.3g}", value);
    case Quantity::count:
      break;
  }
  return fmt::format("{:.0f}", value);
}

}  // namespace gray::html
