// SPDX-License-Identifier: MIT
// summary: describes a sample by a few numbers, and gives its quantiles.
//
// All functions of toolbox/stats take samples by const reference, leave their order alone, hold no state and
// may run in any thread. A sample with a value that is not finite is -EDOM. A sample that is too small is -EINVAL.
#pragma once

#include <cstddef>
#include <vector>

#include "toolbox/base/result.hpp"

namespace gray::stats {

/// All fields but the count are in the unit of the values.
struct Summary {
  std::size_t count = 0;
  double mean = 0;
  double standard_deviation = 0;  ///< The sum of squares is divided by count - 1; 0 for a single value.
  double median = 0;
  double min = 0;
  double max = 0;
  double median_deviation = 0;  ///< Median of the distances from the median (MAD), not scaled.
};

/// Needs at least one value.
base::Result<Summary> summarize(const std::vector<double>& values);

/// The value below which `fraction` (0 to 1, else -EDOM) of the sample lies, by linear interpolation between
/// order statistics at position fraction x (count - 1) (type 7 of Hyndman and Fan, 1996). Needs at least one
/// value.
base::Result<double> quantile(const std::vector<double>& values, double fraction);

/// True if every value is finite.
bool is_finite(const std::vector<double>& values);

}  // namespace gray::stats
