// SPDX-License-Identifier: MIT
// streaming_stats_test: the running statistics agree with the statistics of the whole sample.
//
// How: the results are compared with hand-computed samples. One sample has a mean much larger than its deviation.
// Quantiles are compared with the sorted sample. Left out: streams that drift, which P2 does not promise to follow.
#include "toolbox/base/streaming_stats.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tests/support/catch.hpp"

using namespace gray::base;

TEST_CASE("an empty stream has zeros for numbers", "[streaming_stats]") {
  const StreamingStats stats;
  CHECK(stats.count() == 0);
  CHECK(stats.mean() == 0);
  CHECK(stats.variance() == 0);
  CHECK(stats.min() == 0);
  CHECK(stats.max() == 0);
  CHECK(StreamingQuantile(0.5).value() == 0);
}

TEST_CASE("mean, variance and extremes are those computed by hand", "[streaming_stats]") {
  StreamingStats stats;
  CHECK(stats.add(-3));
  CHECK(stats.variance() == 0);
  CHECK(stats.min() == -3);
  CHECK(stats.max() == -3);
  for (const double value : {2.0, 4.0, 4.0, 13.0}) stats.add(value);
  CHECK(stats.count() == 5);
  CHECK(stats.mean() == Approx(4));
  CHECK(stats.variance() == Approx(134.0 / 4));
  CHECK(stats.min() == -3);
  CHECK(stats.max() == 13);
}

TEST_CASE("a mean far above the deviation does not cancel it", "[streaming_stats]") {
  StreamingStats stats;
  for (const double value : {4.0, 7.0, 13.0, 16.0}) stats.add(1e12 + value);
  CHECK(stats.mean() == Approx(1e12 + 10).epsilon(1e-15));
  CHECK(stats.variance() == Approx(30));
}

TEST_CASE("values that are not finite are refused", "[streaming_stats]") {
  StreamingStats stats;
  StreamingQuantile median(0.5);
  for (const double value : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    CHECK_FALSE(stats.add(value));
    CHECK_FALSE(median.add(value));
  }
  CHECK(stats.count() == 0);
  CHECK(median.count() == 0);
}

TEST_CASE("up to five values the quantile is the nearest rank", "[streaming_stats]") {
  StreamingQuantile median(0.5);
  StreamingQuantile high(0.9);
  const double values[] = {30, 10, 50, 20, 40};
  const double medians[] = {30, 10, 30, 20, 30};
  const double highs[] = {30, 30, 50, 50, 50};
  for (std::size_t i = 0; i < 5; ++i) {
    median.add(values[i]);
    high.add(values[i]);
    CHECK(median.value() == medians[i]);
    CHECK(high.value() == highs[i]);
  }
}

TEST_CASE("the quantile follows the sorted sample", "[streaming_stats]") {
  const double probability = GENERATE(0.1, 0.5, 0.9, 0.99);
  const bool is_skewed = GENERATE(false, true);
  INFO("quantile " << probability << (is_skewed ? " of an exponential" : " of a uniform") << " sample");
  std::mt19937_64 random(11);
  StreamingQuantile quantile(probability);
  std::vector<double> sample;
  for (int i = 0; i < 20'000; ++i) {
    const double share = (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53;
    sample.push_back(is_skewed ? -std::log(share) : share);
    quantile.add(sample.back());
  }
  // Compares by rank, so that the requirement is the same for every family: the share of values at or below the estimate.
  const double estimate = quantile.value();
  const auto below =
      std::count_if(sample.begin(), sample.end(), [=](double value) { return value <= estimate; });
  CHECK(static_cast<double>(below) / 20'000 == Approx(probability).margin(0.01));
}

TEST_CASE("a constant stream has its constant for every quantile", "[streaming_stats]") {
  StreamingQuantile quantile(0.25);
  for (int i = 0; i < 1000; ++i) quantile.add(7);
  CHECK(quantile.value() == 7);
  CHECK(quantile.count() == 1000);
}
