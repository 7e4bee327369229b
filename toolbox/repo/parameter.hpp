// SPDX-License-Identifier: MIT
// parameter: one measured property of a host, and how its key and number are spelled.
//
//   key      lower-case words of [a-z0-9_] joined by dots, the last ending in the unit: "disk.miss_ns"
//   device   which file system or device, for a key that is true of one only: "uuid:3f6c..."; else empty
//   name     key, or key@device: what stands in the file and in flags
#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>

namespace gray::repo {

struct Parameter {
  std::string key;
  std::string device;            ///< Empty: true of the whole host.
  double value = 0;              ///< Finite and not negative.
  std::string unit = "1";        ///< "ns", "bytes", "bytes/s"; "1" for a plain ratio. No blanks.
  std::optional<double> spread;  ///< Of the samples, in `unit` (the method says which); none if not known.
  std::uint64_t samples = 0;     ///< How many measurements stand behind the value; 0 if not measured.
  std::string method = "-";      ///< One word that names how it was measured. No blanks.
  std::string date = "-";        ///< When, in UTC: "2026-01-31T23:59:59Z". No blanks.
};

/// A key with its device, taken from "key" or "key@device".
struct Name {
  std::string key;
  std::string device;
};

/// Nothing if `text` is not a well-formed name. Pure.
std::optional<Name> parse_name(std::string_view text);

/// "key" or "key@device".
std::string format_name(std::string_view key, std::string_view device);

/// Whether every field can stand in a file: well-formed name, finite non-negative numbers, words without
/// blanks.
bool is_well_formed(const Parameter& parameter);

/// "GRAY_PARAM_DISK_MISS_NS" for "disk.miss_ns": upper case, dots as underscores.
std::string environment_name(std::string_view key);

/// Reads a finite number that is not negative. The number must be the whole `text`, with a point in every locale. Pure.
std::optional<double> parse_number(std::string_view text);

/// The shortest decimal that reads back as the same number. Pure.
std::string format_number(double number);

/// "2026-01-31T23:59:59Z". Any thread.
std::string format_date(std::time_t seconds_since_epoch);

}  // namespace gray::repo
