// SPDX-License-Identifier: MIT
#include "toolbox/stats/summary.hpp"

#include <gsl/gsl_statistics_double.h>

#include <algorithm>
#include <cerrno>
#include <cmath>

namespace gray::stats {
namespace {

std::vector<double> sorted_copy(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values;
}

double median_of_sorted(const std::vector<double>& sorted) {
  return gsl_stats_median_from_sorted_data(sorted.data(), 1, sorted.size());
}

double median_deviation(const std::vector<double>& values, double median) {
  std::vector<double> distances;
  distances.reserve(values.size());
  for (const double value : values) distances.push_back(std::fabs(value - median));
  return median_of_sorted(sorted_copy(std::move(distances)));
}

}  // namespace

bool is_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

base::Result<Summary> summarize(const std::vector<double>& values) {
  if (values.empty()) return base::Result<Summary>::failure(-EINVAL);
  if (!is_finite(values)) return base::Result<Summary>::failure(-EDOM);
  const std::vector<double> sorted = sorted_copy(values);
  Summary summary;
  summary.count = values.size();
  summary.mean = gsl_stats_mean(values.data(), 1, values.size());
  if (values.size() > 1) {
    summary.standard_deviation = gsl_stats_sd_m(values.data(), 1, values.size(), summary.mean);
  }
  summary.median = median_of_sorted(sorted);
  summary.min = sorted.front();
  summary.max = sorted.back();
  summary.median_deviation = median_deviation(values, summary.median);
  return summary;
}

base::Result<double> quantile(const std::vector<double>& values, double fraction) {
  if (values.empty()) return base::Result<double>::failure(-EINVAL);
  if (!is_finite(values) || !(fraction >= 0 && fraction <= 1)) return base::Result<double>::failure(-EDOM);
  const std::vector<double> sorted = sorted_copy(values);
  return gsl_stats_quantile_from_sorted_data(sorted.data(), 1, sorted.size(), fraction);
}

}  // namespace gray::stats
