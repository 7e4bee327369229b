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

// Up to here a head never reaches its full speed; so it is in the models of disks.
constexpr double kShortShareMax = 1.0 / 3.0 + 1e-6;

// The slowest disks turn 60 times a second, the fastest 250 times; a scatter beyond that is no rotation.
constexpr double kRotationMinNs = 3e6;
constexpr double kRotationMaxNs = 25e6;

// What lies further above the least time than a turn and this was held up by something else.
constexpr double kTurnTolerance = 1.1;

// No flash is so slow at random, no disk so fast.
constexpr double kMechanicalReadMinNs = 2e6;
constexpr double kMechanicalStrokeMinNs = 1e6;

using TimesByDistance = std::map<double, std::vector<double>>;

// The range of n values spread evenly is short of their whole width by two parts in n + 1.
double width_of(const std::vector<double>& times) {
  const auto [low, high] = std::minmax_element(times.begin(), times.end());
  const auto n = static_cast<double>(times.size());
  return (*high - *low) * (n + 1) / (n - 1);
}

// A turn shows as the same width at every distance; hiccups widen some.
double turn_of(const TimesByDistance& by_distance) {
  std::vector<double> widths;
  for (const auto& [share, times] : by_distance) widths.push_back(width_of(times));
  const auto summary = gray::stats::summarize(widths);
  const double turn_ns = summary ? summary.value().median : 0;
  return turn_ns >= kRotationMinNs && turn_ns <= kRotationMaxNs ? turn_ns : 0;
}

// Of an even spread the middle of the range is known best by far; without a turn, the median.
double middle_of(const std::vector<double>& times, double turn_ns) {
  if (turn_ns == 0) return gray::stats::summarize(times).value().median;
  const double low = *std::min_element(times.begin(), times.end());
  double high = low;
  for (const double time : times) {
    if (time <= low + kTurnTolerance * turn_ns) high = std::max(high, time);
  }
  return (low + high) / 2;
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
  TimesByDistance by_distance;
  for (const SeekSample& sample : samples) by_distance[sample.distance_share].push_back(sample.time_ns);
  SeekFit fit;
  for (const auto& [share, times] : by_distance) {
    if (times.size() < 2) return fit;
  }
  const double turn_ns = turn_of(by_distance);
  std::vector<double> roots;
  std::vector<double> short_ns;
  std::vector<double> shares;
  std::vector<double> long_ns;
  for (const auto& [share, times] : by_distance) {
    const double ns = middle_of(times, turn_ns) - turn_ns / 2 - transfer_ns;
    const bool is_short = share <= kShortShareMax;
    (is_short ? roots : shares).push_back(is_short ? std::sqrt(share) : share);
    (is_short ? short_ns : long_ns).push_back(ns);
  }
  if (roots.size() < kDistancesMin) return fit;
  const auto curve = gray::stats::fit_line(roots, short_ns);
  if (!curve) return fit;
  const auto line = gray::stats::fit_line(shares, long_ns);
  fit.rotation_ns = turn_ns;
  fit.settle_ns = std::max(curve.value().intercept, 0.0);
  fit.average_ns = std::max(curve.value().intercept + curve.value().slope * std::sqrt(1.0 / 3.0), 0.0);
  fit.full_ns =
      line ? line.value().intercept + line.value().slope : curve.value().intercept + curve.value().slope;
  fit.full_ns = std::max(fit.full_ns, 0.0);
  return fit;
}

bool is_rotational(const SeekFit& fit, double random_read_ns) {
  return fit.full_ns - fit.settle_ns >= kMechanicalStrokeMinNs && random_read_ns >= kMechanicalReadMinNs;
}

}  // namespace microbench::estimate
