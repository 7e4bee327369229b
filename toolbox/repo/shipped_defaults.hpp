// SPDX-License-Identifier: MIT
// shipped_defaults: one table of the values that are assumed for a host that was not measured.
//
// These values keep the tools working; they are not facts about this host. The meaning and the readers of each value are described where it is measured, in microbench/benchmarks.
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

/// All keys there are, sorted by key. Static; any thread.
const ShippedDefault* shipped_defaults_begin();
const ShippedDefault* shipped_defaults_end();

/// The line of `key`, or null. Static; any thread.
const ShippedDefault* find_shipped_default(std::string_view key);

}  // namespace gray::repo
