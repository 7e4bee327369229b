// SPDX-License-Identifier: MIT
// two_cluster_test: the split is the optimum, one mode is left whole, two modes are found.
//
// How: the optimum against trying every cut in long double on seeded samples; the verdict by error rates over
// seeded families. The bounds on the rates are rounded up from what the calibration gave (the constants in
// two_cluster.cpp). Leaves out: whether real probe times are of these families; the system tests on a real
// device ask that.
#include "toolbox/base/two_cluster.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"

using namespace gray::base;

namespace {

using Sample = std::vector<double>;
using Random = std::mt19937_64;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The standard's distributions differ between libraries; these do not.
double uniform(Random& random) {
  return (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53;
}

double normal(Random& random) {
  const double radius = std::sqrt(-2 * std::log(uniform(random)));
  return radius * std::cos(2 * std::acos(-1.0) * uniform(random));
}

double exponential(Random& random) {
  return -std::log(uniform(random));
}

TwoClusterSplit split(Sample sample, double resolution = 0) {
  return split_two_clusters(sample.data(), sample.size(), resolution);
}

long double sum_of_squares(const double* first, const double* last) {
  long double mean = 0;
  for (const double* value = first; value != last; ++value) mean += *value;
  mean /= static_cast<long double>(last - first);
  long double sum = 0;
  for (const double* value = first; value != last; ++value) sum += (*value - mean) * (*value - mean);
  return sum;
}

long double within(const Sample& sorted, std::size_t low_count) {
  const double* const first = sorted.data();
  return sum_of_squares(first, first + low_count) + sum_of_squares(first + low_count, first + sorted.size());
}

long double least_within(const Sample& sorted) {
  long double least = within(sorted, 1);
  for (std::size_t low_count = 2; low_count < sorted.size(); ++low_count) {
    least = std::min(least, within(sorted, low_count));
  }
  return least;
}

Sample random_sample(Random& random) {
  Sample sample(2 + random() % 30);
  const auto kind = random() % 5;
  for (double& value : sample) {
    if (kind == 0) value = uniform(random);
    if (kind == 1) value = 1e9 + normal(random);
    if (kind == 2) value = static_cast<double>(random() % 4);
    if (kind == 3) value = std::exp(3 * normal(random));
    if (kind == 4) value = (uniform(random) < 0.3 ? 100 : 0) - exponential(random);
  }
  return sample;
}

// The share of `rounds` samples of `count` values that are called two groups. draw(random, index) gives a
// value.
template <typename Draw>
double bimodal_share(std::size_t count, Draw draw) {
  constexpr int kRounds = 2000;
  Random random(20'001 + count);
  Sample sample(count);
  int bimodal = 0;
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < count; ++i) sample[i] = draw(random, i);
    bimodal += split_two_clusters(sample.data(), count).is_bimodal ? 1 : 0;
  }
  return static_cast<double>(bimodal) / kRounds;
}

}  // namespace

TEST_CASE("the split is the best of all cuts", "[two_cluster]") {
  Random random(7);
  for (int round = 0; round < 5000; ++round) {
    Sample sample = random_sample(random);
    const TwoClusterSplit found = split_two_clusters(sample.data(), sample.size());
    REQUIRE(std::is_sorted(sample.begin(), sample.end()));
    REQUIRE(found.low_count + found.high_count == sample.size());
    if (found.high_count == 0) {
      REQUIRE(sample.front() == sample.back());
      continue;
    }
    const long double total = sum_of_squares(sample.data(), sample.data() + sample.size());
    REQUIRE(within(sample, found.low_count) <= least_within(sample) + 1e-9L * total);
    REQUIRE(sample[found.low_count - 1] <= found.threshold);
    REQUIRE(found.threshold <= sample[found.low_count]);
    REQUIRE(sample[found.low_count - 1] < sample[found.low_count]);
    REQUIRE(found.explained_share ==
            Approx(static_cast<double>(1 - within(sample, found.low_count) / total)).margin(1e-6));
  }
}

TEST_CASE("a split tells the groups' counts, means, spreads and the gap", "[two_cluster]") {
  const TwoClusterSplit found = split({9, 1, 11, 3, 2});
  CHECK(found.low_count == 3);
  CHECK(found.high_count == 2);
  CHECK(found.low_mean == Approx(2));
  CHECK(found.high_mean == Approx(10));
  CHECK(found.low_spread == Approx(2.0 / 3));
  CHECK(found.high_spread == Approx(1));
  CHECK(found.gap == Approx(6));
  CHECK(found.threshold == Approx(6));
  CHECK(found.separation == Approx(6 / (5.0 / 3)));
  CHECK(found.explained_share == Approx(1 - 4 / (4 + 5 * 64 * 0.24)));
}

TEST_CASE("samples without two different values stay whole", "[two_cluster]") {
  const TwoClusterSplit none = split({});
  CHECK(none.low_count + none.high_count == 0);
  CHECK_FALSE(none.is_bimodal);

  const TwoClusterSplit constant = split(Sample(50, 0.1));
  CHECK(constant.low_count == 50);
  CHECK(constant.high_count == 0);
  CHECK(constant.low_mean == 0.1);
  CHECK(constant.high_mean == 0.1);
  CHECK(constant.separation == 0);
  CHECK_FALSE(constant.is_bimodal);
}

TEST_CASE("values that are not finite are left out", "[two_cluster]") {
  Sample sample{kInfinity, 2, std::nan(""), 1, 101, -kInfinity, 1.5, 100};
  const TwoClusterSplit found = split_two_clusters(sample.data(), sample.size());
  CHECK(found.low_count == 3);
  CHECK(found.high_count == 2);
  CHECK(found.threshold == Approx(51));
  CHECK(std::is_sorted(sample.begin(), sample.begin() + 5));
  CHECK(split({std::nan(""), kInfinity}).low_count == 0);
}

TEST_CASE("the ends of the number range neither overflow nor cancel", "[two_cluster]") {
  const double most = std::numeric_limits<double>::max();
  CHECK(split({-most, -most, most, most}).low_count == 2);
  CHECK(split({0, 1e-320, 0, 1e-320}).low_count == 2);
  CHECK(split({1e15, 1e15 + 1, 1e15 + 100, 1e15 + 101}).low_count == 2);
}

TEST_CASE("one step of a coarse clock is not a second group", "[two_cluster]") {
  Sample sample(20, 25);
  sample[3] = sample[7] = 26;
  CHECK(split(sample).is_bimodal);
  CHECK_FALSE(split(sample, 1).is_bimodal);
  sample[3] = sample[7] = 400;
  CHECK(split(sample, 1).is_bimodal);
}

TEST_CASE("three values are too few for a verdict and four clean ones are enough", "[two_cluster]") {
  CHECK_FALSE(split({1, 1, 1000}).is_bimodal);
  CHECK(split({1, 1, 1, 1000}).is_bimodal);
  CHECK(split({1, 1.01, 1000, 1001}).is_bimodal);
  CHECK_FALSE(split({1, 2, 3, 4}).is_bimodal);
}

TEST_CASE("a sample of one mode is not split", "[two_cluster]") {
  const std::size_t count = GENERATE(4U, 6U, 8U, 12U, 16U, 32U, 128U, 512U);
  INFO(count << " values");
  CHECK(bimodal_share(count, [](Random& random, std::size_t) { return uniform(random); }) <= 0.02);
  CHECK(bimodal_share(count, [](Random& random, std::size_t) { return normal(random); }) <= 0.01);
  CHECK(bimodal_share(count, [](Random& random, std::size_t) { return exponential(random); }) <= 0.02);
  CHECK(bimodal_share(count, [](Random& random, std::size_t) { return std::exp(0.5 * normal(random)); }) <=
        0.01);
  CHECK(bimodal_share(count, [](Random& random, std::size_t) { return std::exp(normal(random)); }) <= 0.025);
  CHECK(bimodal_share(count, [](Random& random, std::size_t) { return std::log(uniform(random)); }) <= 0.02);
}

TEST_CASE("the farthest value of a heavy tail is no group of its own", "[two_cluster]") {
  const std::size_t count = GENERATE(8U, 16U, 32U, 128U);
  INFO(count << " values");
  const auto with_outlier = [](Random& random, std::size_t i) {
    return i == 0 ? 8 : std::exp(0.5 * normal(random));
  };
  CHECK(bimodal_share(count, with_outlier) <= 0.01);
  CHECK(bimodal_share(count, [](Random& random, std::size_t) { return std::pow(uniform(random), -0.5); }) <=
        0.06);
}

TEST_CASE("two groups ten deviations apart are found", "[two_cluster]") {
  const std::size_t count = GENERATE(16U, 32U, 128U, 512U);
  INFO(count << " values");
  const auto halves = [](Random& random, std::size_t i) { return normal(random) + (i % 2 == 0 ? 10 : 0); };
  CHECK(bimodal_share(count, halves) >= 0.98);
}

TEST_CASE("hits and misses a hundredfold apart are found in logarithms", "[two_cluster]") {
  const std::size_t count = GENERATE(16U, 64U, 512U);
  INFO(count << " values");
  const auto halves = [](Random& random, std::size_t i) {
    return 0.4 * normal(random) + (i % 2 == 0 ? std::log(100) : 0);
  };
  CHECK(bimodal_share(count, halves) >= 0.98);
}

TEST_CASE("a lone far value is a group of one, on either side", "[two_cluster]") {
  const std::size_t count = GENERATE(16U, 32U, 128U, 512U);
  const double side = GENERATE(1.0, -1.0);
  INFO(count << " values, side " << side);
  const auto lone = [side](Random& random, std::size_t i) {
    return normal(random) + (i == 0 ? side * 120 : 0);
  };
  CHECK(bimodal_share(count, lone) >= 0.98);
}
