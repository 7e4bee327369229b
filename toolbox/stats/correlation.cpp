// SPDX-License-Identifier: MIT
#include "toolbox/stats/correlation.hpp"

#include <gsl/gsl_statistics_double.h>

#include <algorithm>
#include <cerrno>

#include "toolbox/stats/summary.hpp"

namespace gray::stats {
namespace {

bool has_spread(const std::vector<double>& values) {
  return std::any_of(values.begin(), values.end(), [&](double value) { return value != values.front(); });
}

// 0, or the negative errno of samples that have no correlation.
int check_pairs(const std::vector<double>& x, const std::vector<double>& y) {
  if (x.size() != y.size() || x.size() < 2) return -EINVAL;
  if (!is_finite(x) || !is_finite(y) || !has_spread(x) || !has_spread(y)) return -EDOM;
  return 0;
}

// Rounding may give a value slightly outside the range.
double into_range(double coefficient) {
  return std::clamp(coefficient, -1.0, 1.0);
}

}  // namespace

base::Result<double> spearman_correlation(const std::vector<double>& x, const std::vector<double>& y) {
  const int error = check_pairs(x, y);
  if (error != 0) return base::Result<double>::failure(error);
  std::vector<double> workspace(2 * x.size());
  return into_range(gsl_stats_spearman(x.data(), 1, y.data(), 1, x.size(), workspace.data()));
}

}  // namespace gray::stats
