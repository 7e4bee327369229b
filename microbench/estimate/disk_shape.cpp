// SPDX-License-Identifier: MIT
#include "microbench/estimate/disk_shape.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "toolbox/stats/regression.hpp"
#include "toolbox/stats/summary.hpp"

namespace microbench::estimate {
namespace {

constexpr std::size_t kDistancesMin = 3;

// The slowest disks turn 60 times a second, the fastest 250 times; a scatter beyond that is no rotation.
constexpr double kRotationMinNs = 3e6;
constexpr double kRotationMaxNs = 25e6;

// An even spread has this part of its width between these quantiles. The ends are left to hiccups.
constexpr double kLowShare = 0.05;
constexpr double kHighShare = 0.95;

// No flash is so slow at random, no disk so fast.
constexpr double kMechanicalReadMinNs = 2e6;
constexpr double kMechanicalStrokeMinNs = 1e6;

double width_of_even_spread(const std::vector<double>& residuals) {
  const double low = gray::stats::quantile(residuals, kLowShare).value_or(0);
  const double high = gray::stats::quantile(residuals, kHighShare).value_or(0);
  return (high - low) / (kHighShare - kLowShare);
}

}  // namespace

std::uint64_t access_unit_bytes(std::vector<RatePoint> points) {
  std::sort(points.begin(), points.end(),
            [](const RatePoint& a, const RatePoint& b) { return a.unit_bytes < b.unit_bytes; });
  double peak = 0;
  for (const RatePoint& point : points) peak = std::max(peak, point.bytes_per_s);
  std::uint64_t unit = 0;
  for (auto point = points.rbegin(); point != points.rend(); ++point) {
    if (point->bytes_per_s < kPeakShare * peak) {
      if (unit != 0) break;
      continue;  // the largest requests may be slower again
    }
    unit = point->unit_bytes;
  }
  return unit;
}

SeekFit fit_seek(const std::vector<SeekSample>& samples, double transfer_ns) {
  std::map<double, std::vector<double>> by_distance;
  for (const SeekSample& sample : samples) by_distance[sample.distance_share].push_back(sample.time_ns);
  SeekFit fit;
  if (by_distance.size() < kDistancesMin) return fit;
  std::vector<double> roots;
  std::vector<double> medians;
  std::vector<double> means;
  std::vector<double> residuals;
  for (const auto& [share, times] : by_distance) {
    const auto summary = gray::stats::summarize(times);
    if (!summary) return fit;
    roots.push_back(std::sqrt(share));
    medians.push_back(summary.value().median);
    means.push_back(summary.value().mean);
  }
  const auto first = gray::stats::fit_line(roots, medians);
  if (!first) return fit;
  for (const SeekSample& sample : samples) {
    residuals.push_back(sample.time_ns - first.value().intercept -
                        first.value().slope * std::sqrt(sample.distance_share));
  }
  const double width_ns = width_of_even_spread(residuals);
  const bool is_turning = width_ns >= kRotationMinNs && width_ns <= kRotationMaxNs;
  // The mean of an even spread is known better than its median, where no hiccup can spoil it much.
  const auto line = is_turning ? gray::stats::fit_line(roots, means) : first;
  fit.rotation_ns = is_turning ? width_ns : 0;
  fit.settle_ns = std::max(line.value().intercept - fit.rotation_ns / 2 - transfer_ns, 0.0);
  fit.stroke_ns = std::max(line.value().slope, 0.0);
  fit.r_squared = line.value().r_squared;
  return fit;
}

bool is_rotational(const SeekFit& fit, double random_read_ns) {
  return fit.stroke_ns >= kMechanicalStrokeMinNs && random_read_ns >= kMechanicalReadMinNs;
}

}  // namespace microbench::estimate
