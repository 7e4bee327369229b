// SPDX-License-Identifier: MIT
// spread: how far the figure of another run may lie from the figure of this run. Pure.
//
// The interval of a median grows narrow with the number of samples, yet the next run meets another state of
// processor, host and disk. What foretells its median is how the samples scatter: half the width of their
// central nine tenths, and never less than a share of the value, for a host is not steadier than that.
#pragma once

#include <vector>

namespace microbench::estimate {

/// No figure of a host is the same to better than this share in two runs: measured on a virtual machine, minutes apart.
inline constexpr double kSpreadShareMin = 0.1;

/// In the unit of the values; 0 if there are none. A single value has the smallest spread.
double spread_of(const std::vector<double>& values);

}  // namespace microbench::estimate
