// SPDX-License-Identifier: MIT
// median_interval: finds the two values of the sample between which the true median lies.
//
// Each value lies below the true median with probability one half, for any distribution. So the number of values below the median is binomial. This gives the
// confidence that the k-th smallest and the k-th largest value enclose the median (Conover, Practical Nonparametric Statistics, section 3.2). The result is
// exact and does not use the normal approximation.
#pragma once

#include <vector>

#include "toolbox/base/result.hpp"

namespace gray::stats {

struct MedianInterval {
  double low = 0;
  double high = 0;
  double confidence =
      0;  ///< The interval's true confidence: at least the requested confidence, if it could be reached.
  bool is_reached =
      false;  ///< False with too few values: then the interval is the whole range, with its lower confidence.
};

/// The narrowest interval with at least `confidence` (above 0 and below 1, else -EDOM). Needs at least
/// one value (-EINVAL); a value that is not finite is -EDOM.
base::Result<MedianInterval> median_interval(const std::vector<double>& values, double confidence = 0.95);

}  // namespace gray::stats
