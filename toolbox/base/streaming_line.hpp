// SPDX-License-Identifier: MIT
// streaming_line: the straight line with the least squared errors through a stream of pairs. It needs five sums. Old pairs lose weight over time.
//
// For code inside a host process, which may keep no samples. The sums of several streams can be added. For kept samples, and for how well the line fits, see
// toolbox/stats/regression. The sums add the values themselves, so the values should not be much larger than their spread. If they are a thousand times larger, six digits of the
// spread are exact.
#pragma once

#include <cstdint>

namespace gray::base {

/// The sums of the pairs seen so far. Plain data: copyable, valid when zeroed.
struct LineSums {
  double weight = 0;
  double x = 0;
  double y = 0;
  double x_squares = 0;
  double products = 0;
};

/// y = intercept + slope x, neither of them below zero.
struct CostLine {
  double intercept = 0;
  double slope = 0;
};

/// Adds all pairs of `more`, each with this weight.
constexpr void add_sums(LineSums& sums, const LineSums& more, double share) {
  sums.weight += share * more.weight;
  sums.x += share * more.x;
  sums.y += share * more.y;
  sums.x_squares += share * more.x_squares;
  sums.products += share * more.products;
}

/// Reduces the weight of the pairs seen so far until they weigh no more than `weight_max` pairs.
constexpr void fade_to(LineSums& sums, double weight_max) {
  if (!(sums.weight > weight_max)) return;
  const double share = weight_max / sums.weight;
  const LineSums before = sums;
  sums = {};
  add_sums(sums, before, share);
}

/// The line of least squares among all lines that are nowhere below zero. If the fit has no fixed part, the line goes through the origin. If y does not grow with x, the line is
/// level. If all x are equal, it goes through the origin. Without any pairs it is zero.
constexpr CostLine cost_line(const LineSums& sums) {
  if (!(sums.weight > 0)) return {};
  const CostLine level{sums.y / sums.weight, 0};
  if (!(sums.x_squares > 0)) return level;
  const CostLine through_origin{0, sums.products / sums.x_squares};
  const double spread = sums.weight * sums.x_squares - sums.x * sums.x;
  constexpr double kSpreadLeast = 1e-9;
  if (!(spread > kSpreadLeast * sums.weight * sums.x_squares)) return through_origin;
  const double slope = (sums.weight * sums.products - sums.x * sums.y) / spread;
  if (!(slope >= 0)) return level;
  const double intercept = (sums.y - slope * sums.x) / sums.weight;
  return intercept >= 0 ? CostLine{intercept, slope} : through_origin;
}

}  // namespace gray::base
