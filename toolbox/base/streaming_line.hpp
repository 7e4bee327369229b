// SPDX-License-Identifier: MIT
// streaming_line: the straight line of least squares through a stream of pairs, kept as five sums. Old pairs count less and less.
//
// This file is for code inside the program that loads the library. Such code may keep no samples. The sums of several streams can be added. For samples that
// are kept, and for the quality of the fit, see toolbox/stats/regression. The values themselves are summed, so they should not be large compared with their
// spread. When the values are a thousand times as large as their spread, six digits of the spread are left.
#pragma once

#include <cstdint>

namespace gray::base {

/// The sums over all pairs so far. Plain data: copyable, valid when zeroed.
struct LineSums {
  double weight = 0;
  double x = 0;
  double y = 0;
  double x_squares = 0;
  double products = 0;
};

/// y = intercept + slope x. Intercept and slope are at least zero.
struct CostLine {
  double intercept = 0;
  double slope = 0;
};

/// Adds the sums of `more`, each pair weighted by `share`.
constexpr void add_sums(LineSums& sums, const LineSums& more, double share) {
  sums.weight += share * more.weight;
  sums.x += share * more.x;
  sums.y += share * more.y;
  sums.x_squares += share * more.x_squares;
  sums.products += share * more.products;
}

/// Reduces the weight of the pairs so far to at most `weight_max` pairs.
constexpr void fade_to(LineSums& sums, double weight_max) {
  if (!(sums.weight > weight_max)) return;
  const double share = weight_max / sums.weight;
  const LineSums before = sums;
  sums = {};
  add_sums(sums, before, share);
}

/// The line of least squares among the lines that are nowhere below zero. Without a fixed part it goes through the origin; without growth with x it is level.
/// When all x are equal, the line goes through the origin. Without any pair it is zero.
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
