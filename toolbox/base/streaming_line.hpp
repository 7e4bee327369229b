// SPDX-License-Identifier: MIT
// streaming_line: the straight line with the least squared errors through a stream of pairs, of which the old ones fade, in five sums.
//
// For code inside a host process, which may keep no samples; the sums of several streams can be added. Samples that are kept, and how well the line
// fits: toolbox/stats/regression. The sums are of the values themselves, so values should not be large against their spread: six digits of it are
// left where they are a thousand times as large.
#pragma once

#include <cstdint>

namespace gray::base {

/// What has been seen. Plain data: copyable, valid when zeroed.
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

/// All pairs of `more`, each counted as so much of one.
constexpr void add_sums(LineSums& sums, const LineSums& more, double share) {
  sums.weight += share * more.weight;
  sums.x += share * more.x;
  sums.y += share * more.y;
  sums.x_squares += share * more.x_squares;
  sums.products += share * more.products;
}

/// Lets what was seen fade until it weighs no more than `weight_max` pairs.
constexpr void fade_to(LineSums& sums, double weight_max) {
  if (!(sums.weight > weight_max)) return;
  const double share = weight_max / sums.weight;
  const LineSums before = sums;
  sums = {};
  add_sums(sums, before, share);
}

/// The line of least squares among those that cost nothing below zero, anywhere: what has no fixed part goes through the origin, what does not grow with
/// x is level. Where all x are equal, through the origin; of nothing seen, zero.
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
