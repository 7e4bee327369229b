// SPDX-License-Identifier: MIT
// units: reads bytes, rates and durations as a person writes them, and strictly.
//
// 1024 and 1000 are told apart by the spelling, as in dd and systemd:
//   K M G T, KiB MiB GiB TiB     powers of 1024
//   KB MB GB TB                  powers of 1000
//   bit kbit Mbit Gbit           powers of 1000, eight bits a byte (rates only)
// A rate may end in "/s" or "ps" ("5MB/s", "40Mbit/s", "40Mbps"). A fraction is allowed ("1.5M").
// This code never guesses: an empty text, a sign, an unknown unit, trailing text or an overflow is an error.
#pragma once

#include <cstddef>
#include <cstdint>

#include "toolbox/base/result.hpp"

namespace gray::base {

inline constexpr std::uint64_t kKiB = 1024;
inline constexpr std::uint64_t kMiB = 1024 * kKiB;
inline constexpr std::uint64_t kGiB = 1024 * kMiB;
inline constexpr std::uint64_t kNanosecondsPerSecond = 1'000'000'000;
inline constexpr std::uint64_t kNanosecondsPerMillisecond = 1'000'000;

/// Reads an amount of bytes such as "4096", "5M", "5MiB", "5MB", "1.5G" from `length` characters at `text`.
/// Fails with -EINVAL (not such a text) or -ERANGE (above 2^63 - 1). Pure; any thread; no allocation.
Result<std::uint64_t> parse_bytes(const char* text, std::size_t length);

/// Reads a rate in bytes a second: everything that parse_bytes() takes, and "40Mbit", each optionally followed by "/s". A rate of zero is -EINVAL: no operation could ever run
/// under it. Errors as parse_bytes().
Result<std::uint64_t> parse_rate_bytes_per_s(const char* text, std::size_t length);

/// True for a rate that has no unit and is below one kilobyte a second. "5" mostly means a forgotten "M" and not five bytes. "5B" says that bytes are meant.
/// `text` is one that parse_rate_bytes_per_s() has read as `rate_bytes_per_s`. Pure.
bool is_unit_forgotten(const char* text, std::size_t length, std::uint64_t rate_bytes_per_s);

/// Reads a duration such as "250ms", "1s", "2m", "10us", "5ns" into nanoseconds; a number without a unit is refused, because the unit would be a guess. Errors as parse_bytes().
Result<std::uint64_t> parse_duration_ns(const char* text, std::size_t length);

}  // namespace gray::base
