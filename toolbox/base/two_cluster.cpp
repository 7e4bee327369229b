// SPDX-License-Identifier: MIT
#include "toolbox/base/two_cluster.hpp"

#include <algorithm>
#include <limits>

namespace gray::base {
namespace {

// Calibrated on seeded samples of uniform, normal, exponential and lognormal values: see
// tests/unit/toolbox/two_cluster_test.cpp, which holds the error rates.
constexpr std::size_t kValuesMin = 4;      // below this, no gap is too wide for chance
constexpr double kSeparationMin = 1.0;     // least separation of two large groups
constexpr double kSeparationSmall = 20.0;  // what a sample of n values needs on top, over n
constexpr double kTailOddsMin = 12.0;      // least r^m of the tail rule
constexpr double kTailOddsSmall =
    150.0;                               // what a sample of n values needs on top, as a share, over n squared
constexpr double kResolutionsMin = 4.0;  // a gap of fewer steps of the clock is rounding

bool is_finite(double value) {
  return value - value == 0;  // not so for infinities and for what is not a number
}

// Moves the finite values to the front, sorts them and returns how many there are.
std::size_t sort_finite(double* values, std::size_t count) {
  double* const end = std::partition(values, values + count, is_finite);
  std::sort(values, end);
  return static_cast<std::size_t>(end - values);
}

// Maps the sample onto [0, 1], where neither squares overflow nor sums cancel. Halves first: max - min may
// overflow.
struct Scale {
  double origin;
  double half_range;
  [[nodiscard]] double at(double value) const { return (value / 2 - origin / 2) / half_range; }
};

struct Cut {
  std::size_t low_count = 0;
  double between = -1;  // between-group sum of squares, in units of the scale
};

// The total sum of squares is the same for every cut, so the least within-group sum is the greatest
// between-group sum.
Cut best_cut(const double* sorted, std::size_t count, const Scale& scale, double mean) {
  Cut best;
  double low_sum = 0;
  for (std::size_t low_count = 1; low_count < count; ++low_count) {
    low_sum += scale.at(sorted[low_count - 1]) - mean;
    if (sorted[low_count] == sorted[low_count - 1]) continue;
    const auto low = static_cast<double>(low_count);
    const auto all = static_cast<double>(count);
    const double between = low_sum * low_sum * all / (low * (all - low));
    if (between > best.between) best = {low_count, between};
  }
  return best;
}

double mean_of(const double* values, std::size_t count) {
  double mean = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double share = 1 / static_cast<double>(i + 1);
    mean = mean * (1 - share) + values[i] * share;
  }
  return mean;
}

double spread_of(const double* values, std::size_t count, double mean) {
  double spread = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double share = 1 / static_cast<double>(i + 1);
    spread = spread * (1 - share) + (values[i] > mean ? values[i] - mean : mean - values[i]) * share;
  }
  return spread;
}

double quotient(double numerator, double denominator) {
  return denominator > 0 ? numerator / denominator : std::numeric_limits<double>::infinity();
}

// r^m of the tail rule. A width seen in k values has only k - 1 degrees of freedom, which bound the exponent.
bool is_beyond_tail(const TwoClusterSplit& split, double larger_width) {
  const std::size_t smaller = std::min(split.low_count, split.high_count);
  const std::size_t larger = std::max(split.low_count, split.high_count);
  const double ratio = 1 + quotient(split.gap, larger_width);
  const auto all = static_cast<double>(smaller + larger);
  const double odds_min = kTailOddsMin * (1 + kTailOddsSmall / (all * all));
  double odds = 1;
  for (std::size_t i = std::min(smaller, larger - 1); i > 0 && odds < odds_min; --i) odds *= ratio;
  return odds >= odds_min;
}

bool judge(const TwoClusterSplit& split, const double* sorted, std::size_t count, double resolution) {
  if (count < kValuesMin || split.high_count == 0) return false;
  if (split.gap < kResolutionsMin * resolution) return false;
  if (!(split.separation >= kSeparationMin + kSeparationSmall / static_cast<double>(count))) return false;
  const double low_width = sorted[split.low_count - 1] - sorted[0];
  const double high_width = sorted[count - 1] - sorted[split.low_count];
  return is_beyond_tail(split,
                        std::max(resolution, split.low_count >= split.high_count ? low_width : high_width));
}

}  // namespace

TwoClusterSplit split_two_clusters(double* values, std::size_t count, double resolution) {
  TwoClusterSplit split;
  const std::size_t finite = sort_finite(values, count);
  if (finite == 0) return split;

  split.low_count = finite;
  split.low_mean = split.high_mean = split.threshold = values[0];
  const Scale scale{values[0], values[finite - 1] / 2 - values[0] / 2};
  if (!(scale.half_range > 0)) return split;

  double mean = 0;
  for (std::size_t i = 0; i < finite; ++i) mean += scale.at(values[i]);
  mean /= static_cast<double>(finite);
  double total = 0;
  for (std::size_t i = 0; i < finite; ++i)
    total += (scale.at(values[i]) - mean) * (scale.at(values[i]) - mean);

  const Cut cut = best_cut(values, finite, scale, mean);
  const double* const high = values + cut.low_count;
  split.low_count = cut.low_count;
  split.high_count = finite - cut.low_count;
  split.low_mean = mean_of(values, split.low_count);
  split.high_mean = mean_of(high, split.high_count);
  split.low_spread = spread_of(values, split.low_count, split.low_mean);
  split.high_spread = spread_of(high, split.high_count, split.high_mean);
  split.gap = high[0] - high[-1];
  split.threshold = high[-1] / 2 + high[0] / 2;
  split.separation = quotient(split.gap, split.low_spread + split.high_spread + resolution);
  split.explained_share = std::min(1.0, cut.between / total);
  split.is_bimodal = judge(split, values, finite, resolution);
  return split;
}

}  // namespace gray::base
