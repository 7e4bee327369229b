// SPDX-License-Identifier: MIT
#include "toolbox/stats/median_interval.hpp"

#include <gsl/gsl_cdf.h>

#include <algorithm>
#include <cerrno>

#include "toolbox/stats/summary.hpp"

namespace gray::stats {
namespace {

// The confidence of the interval that excludes `left_out` values at each end.
double confidence_of(unsigned left_out, unsigned count) {
  return 1 - 2 * gsl_cdf_binomial_P(left_out, 0.5, count);
}

}  // namespace

base::Result<MedianInterval> median_interval(const std::vector<double>& values, double confidence) {
  if (values.empty()) return base::Result<MedianInterval>::failure(-EINVAL);
  if (!is_finite(values) || !(confidence > 0 && confidence < 1)) {
    return base::Result<MedianInterval>::failure(-EDOM);
  }
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const auto count = static_cast<unsigned>(sorted.size());
  // The confidence only falls as more values are left out, so the largest number that still suffices is found by bisection.
  unsigned left_out = 0;
  unsigned too_many = (count + 1) / 2;  // with so many values left out at each end, one value or none is left
  while (left_out + 1 < too_many) {
    const unsigned middle = left_out + (too_many - left_out) / 2;
    (confidence_of(middle, count) >= confidence ? left_out : too_many) = middle;
  }
  MedianInterval interval;
  interval.low = sorted[left_out];
  interval.high = sorted[count - 1 - left_out];
  interval.confidence = std::max(0.0, confidence_of(left_out, count));
  interval.is_reached = interval.confidence >= confidence;
  return interval;
}

}  // namespace gray::stats
