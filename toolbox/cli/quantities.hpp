// SPDX-License-Identifier: MIT
// quantities: reads bytes, rates and durations from options, and prints them for people.
//
// The spellings are defined in toolbox/base/units. This file adds the error sentences for a person, with examples of right texts, and an option for each
// quantity. Printed values are rounded to three digits. Printed bytes and rates count in 1024, no matter in which unit they were
// typed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "toolbox/cli/command_line.hpp"

namespace gray::cli {

/// For help texts: which spellings are powers of 1024 and which of 1000.
inline constexpr std::string_view kBytesHelp =
    "K M G T or KiB MiB GiB TiB count in 1024, KB MB GB TB in 1000";
inline constexpr std::string_view kRateHelp =
    "K M G or KiB MiB GiB count in 1024, KB MB GB and kbit Mbit Gbit in 1000, each with or without /s";
inline constexpr std::string_view kDurationHelp = "a number with its unit: ns us ms s m h";

/// The result of reading: a value, or one sentence that says what is wrong.
struct Reading {
  std::uint64_t value = 0;
  std::string problem;  ///< Empty when `value` holds.
  [[nodiscard]] bool is_ok() const { return problem.empty(); }
};

/// Bytes ("4096", "5M", "5MB"), bytes a second ("5MB/s", "40Mbit"), and nanoseconds ("250ms"). A rate of some bytes a second must
/// say its unit ("5B"). Pure.
Reading read_bytes(std::string_view text);
Reading read_rate_bytes_per_s(std::string_view text);
Reading read_duration_ns(std::string_view text);

/// Adds an option whose value is such a quantity. The value is stored in `target`. `target` must outlive the parse and keeps its content if the option is not
/// given. A wrong value is a usage error, and the message contains Reading::problem.
Option add_bytes_option(Command& command, const std::string& name, std::uint64_t& target,
                        const std::string& help);
Option add_rate_option(Command& command, const std::string& name, std::uint64_t& target_bytes_per_s,
                       const std::string& help);
Option add_duration_option(Command& command, const std::string& name, std::uint64_t& target_ns,
                           const std::string& help);

/// "812 B", "12.3 MiB", "1.50 GiB": powers of 1024, three digits. Pure.
std::string format_bytes(std::uint64_t bytes);

/// "4.80 MiB/s": powers of 1024, three digits, so that a rate of 5M is printed as "5.00 MiB/s". A negative number or not-a-number prints "-". Pure.
std::string format_rate(double bytes_per_s);

/// "25.0 ns", "1.25 s", "2 min 05 s", "3 h 07 min". Negative or not-a-number prints "-". Pure.
std::string format_duration_ns(double duration_ns);

}  // namespace gray::cli
