// SPDX-License-Identifier: MIT
// shipped_defaults: one table of the values assumed for a host that was not measured.
//
// The tools work with these values, but they are not facts about this host. The benchmark that measures a value (microbench/benchmarks) tells its meaning and which programs read
// it.
#pragma once

#include <cstddef>
#include <string_view>

namespace gray::repo {

struct ShippedDefault {
  std::string_view key;
  double value;
  std::string_view unit;
  bool is_per_device;  ///< Measured for each file system or device, kept as key@device.
};

/// All keys, sorted. Static; any thread.
const ShippedDefault* shipped_defaults_begin();
const ShippedDefault* shipped_defaults_end();

/// The entry of `key`, or null. Static; any thread.
const ShippedDefault* find_shipped_default(std::string_view key);

}  // namespace gray::repo
