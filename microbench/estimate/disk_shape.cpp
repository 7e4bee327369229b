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

// What lies further above the median than a turn and this was held up by something else.
constexpr double kTurnTolerance = 1.1;

// No flash is so slow at random, no disk so fast.
constexpr double kMechanicalReadMinNs = 2e6;
constexpr double kMechanicalStrokeMinNs = 1e6;

using TimesByDistance = std::map<double, std::vector<double>>;

// The turn is looked for where the head moves least: further off, the same number of bytes is a shorter or a longer way
// by where on the disk it lies, which adds a scatter of its own.
constexpr std::size_t kTurnDistances = 4;

// An even spread has this part of its width between these quantiles; the ends are left to hiccups.
constexpr double kLowShare = 0.05;
constexpr double kHighShare = 0.95;

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

// The time without the turn. Of an even spread the lower end is known best by far, and no hiccup moves it; where the times are
// wider than a turn, by ways of several lengths, it is their mean less half a turn; without a turn, the median.
double still_ns(const std::vector<double>& times, double turn_ns) {
  const auto summary = gray::stats::summarize(times).value();
  if (turn_ns == 0) return summary.median;
  std::vector<double> kept;
  for (const double time : times) {
    if (time <= summary.median + kTurnTolerance * turn_ns) kept.push_back(time);
  }
  const auto calm = gray::stats::summarize(kept).value();
  if (calm.max - calm.min > kTurnTolerance * turn_ns) return calm.mean - turn_ns / 2;
  return calm.min - turn_ns / static_cast<double>(calm.count + 1);
}

// Units in a row whose rates are one level.
struct Pool {
  double mean;
  double count;
  std::uint64_t first_unit;
};

// Neighbours that contradict a rising curve are averaged until none do (isotonic regression, by pooling).
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
  std::vector<double> short_ns;
  std::vector<double> shares;
  std::vector<double> long_ns;
  for (const auto& [share, times] : by_distance) {
    const double ns = still_ns(times, turn_ns) - transfer_ns;
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
