// SPDX-License-Identifier: MIT
#include "toolbox/cli/quantities.hpp"

#include <fmt/core.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <functional>

#include "toolbox/base/units.hpp"
#include "toolbox/cli/diagnostics.hpp"

namespace gray::cli {
namespace {

constexpr double kSecondsPerMinute = 60;
constexpr double kSecondsPerHour = 3600;

using Parser = base::Result<std::uint64_t> (*)(const char*, std::size_t);

// The name of a kind of quantity, and an example of a right one.
struct Kind {
  const char* noun;
  const char* examples;
  std::string_view units;
  Parser parse;
};

constexpr Kind kBytes = {"an amount of bytes", "4096, 5M, 5MB or 1.5GiB", kBytesHelp, base::parse_bytes};
constexpr Kind kRate = {"a rate", "5M, 5MiB, 5MB/s or 40Mbit", kRateHelp, base::parse_rate_bytes_per_s};
constexpr Kind kDuration = {"a duration", "250ms, 1.5s or 2m", kDurationHelp, base::parse_duration_ns};

// A rate that reads well but is below one byte a second is refused by the parser like an unreadable one. The
// number alone and the unit behind a large enough number then both read.
bool is_below_one_byte(std::string_view text) {
  const std::string_view number = text.substr(0, text.find_first_not_of("0123456789."));
  const std::string with_one_byte = "8" + std::string(text.substr(number.size()));
  return base::parse_bytes(number.data(), number.size()).is_ok() &&
         base::parse_rate_bytes_per_s(with_one_byte.data(), with_one_byte.size()).is_ok();
}

Reading read(const Kind& kind, std::string_view text) {
  const auto parsed = kind.parse(text.data(), text.size());
  if (parsed) return {parsed.value(), ""};
  const std::string shown = escape_controls(text);
  if (parsed.error() == -ERANGE) return {0, fmt::format("'{}' is too large for {}", shown, kind.noun)};
  if (kind.parse == kRate.parse && is_below_one_byte(text)) {
    return {0, fmt::format("'{}' is below one byte a second, so nothing would ever run: write {}", shown,
                           kind.examples)};
  }
  return {0, fmt::format("'{}' is not {}: write {} ({})", shown, kind.noun, kind.examples, kind.units)};
}

Option add_option(Command& command, const std::string& name, std::uint64_t& target, const std::string& help,
                  Reading (*read_text)(std::string_view)) {
  return command.add_option(
      name,
      [&target, read_text](const std::string& text) {
        const Reading reading = read_text(text);
        if (reading.is_ok()) target = reading.value;
        return reading.problem;
      },
      help);
}

// Three digits at least: 9.99, 99.9, 999. `step` is what the next larger unit is worth.
std::string format_scaled(double value, const char* const* units, std::size_t unit_count, double step,
                          bool is_first_whole) {
  std::size_t unit = 0;
  while (unit + 1 < unit_count && value >= step - 0.5) {
    value /= step;
    ++unit;
  }
  if (unit == 0 && is_first_whole) return fmt::format("{:.0f} {}", value, units[0]);
  if (value < 9.995) return fmt::format("{:.2f} {}", value, units[unit]);
  if (value < 99.95) return fmt::format("{:.1f} {}", value, units[unit]);
  return fmt::format("{:.0f} {}", value, units[unit]);
}

std::string format_in_1024(double bytes) {
  static constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  return format_scaled(bytes, kUnits.data(), kUnits.size(), 1024, true);
}

}  // namespace

Reading read_bytes(std::string_view text) {
  return read(kBytes, text);
}

Reading read_rate_bytes_per_s(std::string_view text) {
  const Reading reading = read(kRate, text);
  if (!reading.is_ok() || !base::is_unit_forgotten(text.data(), text.size(), reading.value)) return reading;
  const std::string_view number = text.substr(0, text.find_first_not_of("0123456789."));
  return {0, fmt::format("{} is {} byte{} a second: write {}M for {} MiB a second, or {}B if that is meant",
                         text, reading.value, reading.value == 1 ? "" : "s", number, number, number)};
}

Reading read_duration_ns(std::string_view text) {
  return read(kDuration, text);
}

Option add_bytes_option(Command& command, const std::string& name, std::uint64_t& target,
                        const std::string& help) {
  return add_option(command, name, target, help, read_bytes).type_name("BYTES");
}

Option add_rate_option(Command& command, const std::string& name, std::uint64_t& target_bytes_per_s,
                       const std::string& help) {
  return add_option(command, name, target_bytes_per_s, help, read_rate_bytes_per_s).type_name("RATE");
}

Option add_duration_option(Command& command, const std::string& name, std::uint64_t& target_ns,
                           const std::string& help) {
  return add_option(command, name, target_ns, help, read_duration_ns).type_name("DURATION");
}

std::string format_bytes(std::uint64_t bytes) {
  return format_in_1024(static_cast<double>(bytes));
}

std::string format_rate(double bytes_per_s) {
  if (!(bytes_per_s >= 0) || std::isinf(bytes_per_s)) return "-";
  return format_in_1024(bytes_per_s) + "/s";
}

std::string format_duration_ns(double duration_ns) {
  static constexpr std::array kUnits = {"ns", "us", "ms", "s"};
  if (!(duration_ns >= 0) || std::isinf(duration_ns)) return "-";
  if (duration_ns == 0) return "0 s";
  const double seconds = duration_ns / static_cast<double>(base::kNanosecondsPerSecond);
  if (seconds < kSecondsPerMinute) {
    return format_scaled(duration_ns, kUnits.data(), kUnits.size(), 1000, false);
  }
  const double whole_seconds = std::round(seconds);
  if (whole_seconds < kSecondsPerHour) {
    const double minutes = std::floor(whole_seconds / kSecondsPerMinute);
    return fmt::format("{:.0f} min {:02.0f} s", minutes, whole_seconds - minutes * kSecondsPerMinute);
  }
  const double whole_minutes = std::round(seconds / kSecondsPerMinute);
  const double hours = std::floor(whole_minutes / kSecondsPerMinute);
  return fmt::format("{:.0f} h {:02.0f} min", hours, whole_minutes - hours * kSecondsPerMinute);
}

}  // namespace gray::cli
