// SPDX-License-Identifier: MIT
// spread: how far the figure of another run may differ from the figure of this run. Pure.
//
// The confidence interval of a median gets narrower with more samples, but the next run finds another state of processor, host and disk. The scatter of the samples predicts its
// median better. So the spread is half the width of the central nine tenths of the samples. It is never less than a fixed share of the value, because the
// figures of every host vary at least by this share.
#pragma once

#include <vector>

namespace microbench::estimate {

/// Figures of two runs on a host differ by up to this share of the value: measured on a virtual machine, minutes apart.
inline constexpr double kSpreadShareMin = 0.1;

/// The spread in the unit of the values; 0 without values. A single value has the least spread.
double spread_of(const std::vector<double>& values);

}  // namespace microbench::estimate
