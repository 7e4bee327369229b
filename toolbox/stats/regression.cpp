// SPDX-License-Identifier: MIT
#include "toolbox/stats/regression.hpp"

#include <gsl/gsl_fit.h>
#include <gsl/gsl_statistics_double.h>

#include <algorithm>
#include <cerrno>
#include <cmath>

#include "toolbox/stats/summary.hpp"

namespace gray::stats {

base::Result<Line> fit_line(const std::vector<double>& x, const std::vector<double>& y) {
  if (x.size() != y.size() || x.size() < 2) return base::Result<Line>::failure(-EINVAL);
  const bool is_upright = std::all_of(x.begin(), x.end(), [&](double value) { return value == x.front(); });
  if (!is_finite(x) || !is_finite(y) || is_upright) return base::Result<Line>::failure(-EDOM);
  Line line;
  double variance_intercept = 0;
  double covariance = 0;
  double variance_slope = 0;
  double residual_squares = 0;
  gsl_fit_linear(x.data(), 1, y.data(), 1, x.size(), &line.intercept, &line.slope, &variance_intercept,
                 &covariance, &variance_slope, &residual_squares);
  if (x.size() > 2) {  // with two pairs the variances are 0 / 0
    line.intercept_error = std::sqrt(variance_intercept);
    line.slope_error = std::sqrt(variance_slope);
  }
  const double total_squares = gsl_stats_tss(y.data(), 1, y.size());
  if (total_squares > 0) line.r_squared = std::clamp(1 - residual_squares / total_squares, 0.0, 1.0);
  return line;
}

}  // namespace gray::stats
