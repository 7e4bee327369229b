// SPDX-License-Identifier: MIT
// regression: the straight line of least squares through pairs, and how well it fits.
#pragma once

#include <vector>

#include "toolbox/base/result.hpp"

namespace gray::stats {

/// y = intercept + slope x.
struct Line {
  double intercept = 0;
  double slope = 0;
  /// Standard errors; 0 with two pairs, because a line always goes through two points.
  double intercept_error = 0;
  double slope_error = 0;
  double r_squared = 0;  ///< Share of the spread of y that the line explains, 0 to 1; 0 if y has none.
};

/// Fails with -EINVAL for samples of different length or fewer than two pairs, -EDOM for a value that is not
/// finite or where all x are equal (the line is then vertical or undefined).
base::Result<Line> fit_line(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace gray::stats
