// SPDX-License-Identifier: MIT
// estimate_test: computes parameters from samples with known right answers: threshold, access unit, seek curve, spread.
//
// How: a simulated disk gives times by a formula and a random generator with a fixed seed. Left out: real disks.
#include <algorithm>
#include <cmath>
#include <random>

#include "microbench/estimate/disk_shape.hpp"
#include "microbench/estimate/spread.hpp"
#include "microbench/estimate/threshold.hpp"
#include "tests/support/catch.hpp"
#include "toolbox/stats/summary.hpp"

using namespace microbench::estimate;

TEST_CASE("a threshold lies between hits and misses that do not overlap", "[microbench]") {
  const Threshold best = best_threshold({400, 500, 900}, {60'000, 90'000});
  CHECK(best.threshold_ns == Approx(std::sqrt(900.0 * 60'000)));
  CHECK(best.false_hit_share == 0);
  CHECK(best.false_miss_share == 0);
}

TEST_CASE("overlapping hits and misses are told apart with the fewest errors", "[microbench]") {
  std::vector<double> hits(99, 500);
  hits.push_back(200'000);  // one hit was interrupted
  const Threshold best = best_threshold(hits, std::vector<double>(100, 80'000));
  CHECK(best.threshold_ns > 500);
  CHECK(best.threshold_ns < 80'000);
  CHECK(best.false_miss_share == Approx(0.01));
  CHECK(best.false_hit_share == 0);
}

TEST_CASE("without hits or without misses there is no threshold", "[microbench]") {
  CHECK(best_threshold({}, {1}).threshold_ns == 0);
  CHECK(best_threshold({1}, {}).threshold_ns == 0);
  CHECK(best_threshold({5, 5}, {5, 5}).threshold_ns == 0);
}

TEST_CASE("a histogram counts every time once, in rising bins", "[microbench]") {
  const auto bins = histogram({100, 101, 5000, 0.2});
  REQUIRE(bins.size() == 2);
  CHECK(bins[0].count == 2);
  CHECK(bins[0].low_ns <= 100);
  CHECK(bins[1].low_ns > bins[0].low_ns);
}

TEST_CASE("the access unit is the smallest from which on the rate stays near its peak", "[microbench]") {
  std::vector<RatePoint> points;
  for (std::uint64_t unit = 4096; unit <= (16U << 20U); unit *= 2) {
    const double seconds = 0.008 + static_cast<double>(unit) / 100e6;  // a positioning and a transfer
    points.push_back({unit, static_cast<double>(unit) / seconds});
  }
  CHECK(access_unit_bytes(points) == (8U << 20U));
  CHECK(access_unit_bytes({}) == 0);
}

TEST_CASE("a dip or a lucky peak at one size does not move the access unit far", "[microbench]") {
  std::vector<RatePoint> points;
  for (std::uint64_t unit = 4096; unit <= (16U << 20U); unit *= 2) {
    const double seconds = 60e-6 + static_cast<double>(unit) / 1e9;
    points.push_back({unit, static_cast<double>(unit) / seconds});
  }
  const std::uint64_t calm = access_unit_bytes(points);
  for (std::size_t i = 8; i < points.size(); ++i) {
    for (const double factor : {0.85, 1.15}) {
      auto noisy = points;
      noisy[i].bytes_per_s *= factor;
      const std::uint64_t unit = access_unit_bytes(noisy);
      INFO("size " << noisy[i].unit_bytes << " times " << factor);
      CHECK(unit >= calm / 2);
      // After a peak at the largest size there is no larger size that could contradict it.
      if (i + 1 < points.size() || factor < 1) CHECK(unit <= calm * 8);
    }
  }
}

TEST_CASE("a peak measured otherwise counts where it is lower", "[microbench]") {
  const std::vector<RatePoint> points{{1024, 50}, {2048, 88}, {4096, 98}, {8192, 140}};
  CHECK(access_unit_bytes(points) == 8192);
  CHECK(access_unit_bytes(points, 100) == 4096);
  CHECK(access_unit_bytes(points, 1000) == 8192);
  CHECK(access_unit_bytes(points, 40) == 1024);
  CHECK(access_unit_bytes({}, 40) == 0);
}

TEST_CASE("one slow hit and one quick miss do not move the threshold", "[microbench]") {
  std::vector<double> hits(100, 500);
  std::vector<double> misses(100, 80'000);
  const double calm = best_threshold(hits, misses).threshold_ns;
  hits.push_back(30'000);
  misses.push_back(1'000);
  CHECK(best_threshold(hits, misses).threshold_ns == Approx(calm));
}

TEST_CASE("the largest requests may be slower again", "[microbench]") {
  CHECK(access_unit_bytes({{1, 10}, {2, 100}, {4, 98}, {8, 70}}) == 2);
}

namespace {

// A disk as in data sheets: the seek time is a settle time, a square root up to a third of the stroke, and a line after that; a random part of a turn and a transfer are added.
// The samples are taken as disk_seek takes them: the shortest distances come three times as often. A track may hold one and a half times as much as
// another track.
std::vector<SeekSample> simulated_seeks(double turn_ns, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> turn(0, turn_ns);
  std::uniform_real_distribution<double> density(0.8, 1.25);
  std::vector<double> shares{0.4, 0.5, 0.6, 0.7, 0.8, 0.9};
  for (double share = 0.33; share > 0.0003; share /= 2) shares.push_back(share);
  std::sort(shares.begin(), shares.end());
  std::vector<SeekSample> samples;
  for (int round = 0; round < 200; ++round) {
    for (std::size_t i = 0; i < shares.size(); ++i) {
      for (int again = 0; again < (i < kSettleDistances ? 3 : 1); ++again) {
        const double way = shares[i] > 1.0 / 3 ? shares[i] : shares[i] * density(random);
        const double seek_ns = way <= 1.0 / 3 ? 0.8e6 + (8.5e6 - 0.8e6) * std::sqrt(3 * way)
                                              : 8.5e6 + (16e6 - 8.5e6) * (way - 1.0 / 3) * 1.5;
        samples.push_back({shares[i], 140'000 + seek_ns + turn(random)});
      }
    }
  }
  return samples;
}

}  // namespace

TEST_CASE("seek curve and turn of a simulated disk are found within a tenth", "[microbench]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const SeekFit fit = fit_seek(simulated_seeks(8.33e6, seed), 140'000);
    INFO("seed " << seed);
    CHECK(fit.rotation_ns == Approx(8.33e6).epsilon(0.05));
    CHECK(fit.settle_ns == Approx(0.8e6).epsilon(0.1));
    CHECK(fit.average_ns == Approx(8.5e6).epsilon(0.05));
    CHECK(fit.full_ns == Approx(16e6).epsilon(0.05));
    CHECK(is_rotational(fit, 9e6));
  }
}

TEST_CASE("a few interrupted reads do not bend the curve", "[microbench]") {
  auto samples = simulated_seeks(8.33e6, 3);
  for (std::size_t i = 0; i < samples.size(); i += 500) samples[i].time_ns += 40e6;
  const SeekFit fit = fit_seek(samples, 140'000);
  CHECK(fit.rotation_ns == Approx(8.33e6).epsilon(0.05));
  CHECK(fit.average_ns == Approx(8.5e6).epsilon(0.05));
}

TEST_CASE("flash is no disk with a head", "[microbench]") {
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(80'000, 9'000);
  std::vector<SeekSample> samples;
  for (int round = 0; round < 50; ++round) {
    for (double share = 0.75; share > 0.001; share /= 2) samples.push_back({share, noise(random)});
  }
  const SeekFit fit = fit_seek(samples, 70'000);
  CHECK(fit.rotation_ns == 0);
  CHECK_FALSE(is_rotational(fit, 80'000));
  CHECK(fit_seek({{0.1, 5}, {0.2, 5}}, 0).full_ns == 0);
}

TEST_CASE("a spread foretells nine of ten medians, also of a host that drifts a little", "[microbench]") {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> scatter(0, 0.1);
  std::normal_distribution<double> drift(1, 0.015);
  int inside = 0;
  constexpr int kTrials = 500;
  const auto run = [&] {
    const double host = drift(random);
    std::vector<double> values;
    for (int i = 0; i < 30; ++i) values.push_back(100 * host * scatter(random));
    return values;
  };
  for (int trial = 0; trial < kTrials; ++trial) {
    const auto first = run();
    const double median = gray::stats::summarize(first).value().median;
    const double next = gray::stats::summarize(run()).value().median;
    inside += std::fabs(next - median) <= spread_of(first) ? 1 : 0;
  }
  CHECK(inside >= kTrials * 9 / 10);
}

TEST_CASE("a single value has the least spread, none has none", "[microbench]") {
  CHECK(spread_of({100}) == Approx(100 * kSpreadShareMin));
  CHECK(spread_of({}) == 0);
}
