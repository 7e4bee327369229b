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

// Up to this share of the stretch a head never reaches its full speed, as in the models of disks.
constexpr double kShortShareMax = 1.0 / 3.0 + 1e-6;

// The slowest disks turn 60 times a second, the fastest 250 times. A scatter outside this range is no rotation.
constexpr double kRotationMinNs = 3e6;
constexpr double kRotationMaxNs = 25e6;

// A read that is above the median by more than this many turns was delayed by something else.
constexpr double kTurnTolerance = 1.1;

// Random reads from flash never take longer than this, and seeks of a mechanical disk never take less.
constexpr double kMechanicalReadMinNs = 2e6;
constexpr double kMechanicalStrokeMinNs = 1e6;

using TimesByDistance = std::map<double, std::vector<double>>;

// The turn is estimated from the shortest distances. For longer distances, the head's way for the same number of bytes depends on the place on the disk. This
// adds another scatter.
constexpr std::size_t kTurnDistances = 4;

// A uniform distribution has this part of its width between these quantiles. The ends of the distribution are left out
// because of outliers.
constexpr double kLowShare = 0.1;
constexpr double kHighShare = 0.9;

double turn_of(const TimesByDistance& by_distance) {
  std::vector<double> residuals;
  std::size_t distances = 0;
  for (const auto& [share, times] : by_distance) {
    if (distances++ == kTurnDistances) break;
    const double middle = gray::stats::summarize(times).value().mean;
    for (const double time : times) residuals.push_back(time - middle);
  }
  const double low = gray::stats::quantile(residuals, kLowShare).value_or(0);
  const double high = gray::stats::quantile(residuals, kHighShare).value_or(0);
  const double turn_ns = (high - low) / (kHighShare - kLowShare);
  return turn_ns >= kRotationMinNs && turn_ns <= kRotationMaxNs ? turn_ns : 0;
}

// The times of reads that were not delayed by something else. When the turn is not known, only the median is returned.
std::vector<double> calm_of(const std::vector<double>& times, double turn_ns) {
  const double median = gray::stats::summarize(times).value().median;
  if (turn_ns == 0) return {median};
  std::vector<double> calm;
  for (const double time : times) {
    if (time <= median + kTurnTolerance * turn_ns) calm.push_back(time);
  }
  return calm;
}

// The time without the turn, for distances where the way of the head is always nearly the same. Of a uniform distribution the lower end is known best, and outliers do not move it.
double least_ns(const std::vector<double>& times, double turn_ns) {
  const auto calm = gray::stats::summarize(calm_of(times, turn_ns)).value();
  return calm.min - turn_ns / static_cast<double>(calm.count + 1);
}

// The time without the turn, for distances where the way of the head varies: there the lower end would belong to the shortest way, so the mean is used.
double mean_ns(const std::vector<double>& times, double turn_ns) {
  return gray::stats::summarize(calm_of(times, turn_ns)).value().mean - turn_ns / 2;
}

// The slope of a line through (0, intercept).
double slope_from(double intercept, const std::vector<double>& x, const std::vector<double>& y) {
  double products = 0;
  double squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    products += x[i] * (y[i] - intercept);
    squares += x[i] * x[i];
  }
  return squares > 0 ? products / squares : 0;
}

// Successive units that share one rate.
struct Pool {
  double mean;
  double count;
  std::uint64_t first_unit;
};

// Neighbouring points that contradict a rising curve are averaged until the curve rises everywhere (isotonic regression by pooling).
std::vector<Pool> rising_pools(std::vector<RatePoint> points) {
  std::sort(points.begin(), points.end(),
            [](const RatePoint& a, const RatePoint& b) { return a.unit_bytes < b.unit_bytes; });
  std::vector<Pool> pools;
  for (const RatePoint& point : points) {
    pools.push_back({point.bytes_per_s, 1, point.unit_bytes});
    while (pools.size() > 1 && pools[pools.size() - 2].mean > pools.back().mean) {
      const Pool last = pools.back();
      pools.pop_back();
      Pool& pool = pools.back();
      pool.mean = (pool.mean * pool.count + last.mean * last.count) / (pool.count + last.count);
      pool.count += last.count;
    }
  }
  return pools;
}

}  // namespace

std::uint64_t access_unit_bytes(std::vector<RatePoint> points, double peak_bytes_per_s) {
  const std::vector<Pool> pools = rising_pools(std::move(points));
  if (pools.empty()) return 0;
  const double best = pools.back().mean;
  const double peak = peak_bytes_per_s > 0 ? std::min(peak_bytes_per_s, best) : best;
  const auto near = std::find_if(pools.begin(), pools.end(),
                                 [&](const Pool& pool) { return pool.mean >= kPeakShare * peak; });
  return near->first_unit;
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
  std::vector<double> least;
  std::vector<double> means;
  std::vector<double> shares;
  std::vector<double> far;
  for (const auto& [share, times] : by_distance) {
    const double ns = mean_ns(times, turn_ns) - transfer_ns;
    if (share > kShortShareMax) {
      shares.push_back(share);
      far.push_back(ns);
      continue;
    }
    roots.push_back(std::sqrt(share));
    means.push_back(ns);
    if (least.size() < kSettleDistances) least.push_back(least_ns(times, turn_ns) - transfer_ns);
  }
  if (roots.size() < kDistancesMin) return fit;
  const auto shortest = gray::stats::fit_line(
      {roots.begin(), roots.begin() + static_cast<std::ptrdiff_t>(least.size())}, least);
  if (!shortest) return fit;
  const double settle_ns = shortest.value().intercept;
  const double slope = slope_from(settle_ns, roots, means);
  const auto line = gray::stats::fit_line(shares, far);
  fit.rotation_ns = turn_ns;
  fit.settle_ns = std::max(settle_ns, 0.0);
  fit.average_ns = std::max(settle_ns + slope * std::sqrt(1.0 / 3.0), 0.0);
  fit.full_ns = std::max(line ? line.value().intercept + line.value().slope : settle_ns + slope, 0.0);
  return fit;
}

bool is_rotational(const SeekFit& fit, double random_read_ns) {
  return fit.full_ns - fit.settle_ns >= kMechanicalStrokeMinNs && random_read_ns >= kMechanicalReadMinNs;
}

}  // namespace microbench::estimate
