// SPDX-License-Identifier: MIT
#include "toolbox/stats/outliers.hpp"

#include <cerrno>
#include <cmath>

#include "toolbox/stats/summary.hpp"

namespace gray::stats {
namespace {

constexpr std::size_t kValuesMin = 3;

// Factors from the median and the mean distance from the median of a normal sample to its standard deviation: the inverse of the normal distribution's upper quartile, and the
// root of half pi.
constexpr double kMedianDeviationScale = 1.482602218505602;
constexpr double kMeanDeviationScale = 1.2533141373155001;

double mean_distance(const std::vector<double>& values, double from) {
  double sum = 0;
  for (const double value : values) sum += std::fabs(value - from);
  return sum / static_cast<double>(values.size());
}

}  // namespace

base::Result<Outliers> find_outliers(const std::vector<double>& values, double limit) {
  if (!is_finite(values) || !(limit > 0)) return base::Result<Outliers>::failure(-EDOM);
  Outliers outliers;
  outliers.scores.assign(values.size(), 0);
  if (values.size() < kValuesMin) return outliers;
  const Summary summary = summarize(values).value();
  outliers.basis = OutlierBasis::kMedianDeviation;
  double scale = kMedianDeviationScale * summary.median_deviation;
  if (scale == 0) {
    outliers.basis = OutlierBasis::kMeanDeviation;
    scale = kMeanDeviationScale * mean_distance(values, summary.median);
  }
  if (scale == 0) {
    outliers.basis = OutlierBasis::kNoSpread;
    return outliers;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    outliers.scores[i] = (values[i] - summary.median) / scale;
    if (std::fabs(outliers.scores[i]) > limit) outliers.indexes.push_back(i);
  }
  return outliers;
}

}  // namespace gray::stats
