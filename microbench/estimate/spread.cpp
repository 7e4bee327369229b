// SPDX-License-Identifier: MIT
#include "microbench/estimate/spread.hpp"

#include <algorithm>
#include <cmath>

#include "toolbox/stats/summary.hpp"

namespace microbench::estimate {
namespace {

constexpr double kLowShare = 0.05;
constexpr double kHighShare = 0.95;

}  // namespace

double spread_of(const std::vector<double>& values) {
  const auto summary = gray::stats::summarize(values);
  if (!summary) return 0;
  const double median = summary.value().median;
  const double low = gray::stats::quantile(values, kLowShare).value_or(median);
  const double high = gray::stats::quantile(values, kHighShare).value_or(median);
  return std::max((high - low) / 2, kSpreadShareMin * std::fabs(median));
}

}  // namespace microbench::estimate
