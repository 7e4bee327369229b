// SPDX-License-Identifier: MIT
// stats_test: the statistics are compared with published data sets, hand-computed values and brute force.
//
// How: lines and correlations are compared with Anscombe's quartet (The American Statistician 27, 1973), the sign
// test and the median's interval with binomial sums computed by hand, quantiles and ranks with plain loops. Left
// out: the inside of GSL.
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tests/support/catch.hpp"
#include "toolbox/stats/correlation.hpp"
#include "toolbox/stats/median_interval.hpp"
#include "toolbox/stats/outliers.hpp"
#include "toolbox/stats/regression.hpp"
#include "toolbox/stats/sign_test.hpp"
#include "toolbox/stats/summary.hpp"

using namespace gray::stats;
using Values = std::vector<double>;

namespace {

const double kNan = std::nan("");
const double kInfinity = std::numeric_limits<double>::infinity();

// The first and the fourth of Anscombe's sets: the same line and the same correlation, but another shape.
const Values kAnscombeX = {10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5};
const Values kAnscombeY1 = {8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68};
const Values kAnscombeX4 = {8, 8, 8, 8, 8, 8, 8, 19, 8, 8, 8};
const Values kAnscombeY4 = {6.58, 5.76, 7.71, 8.84, 8.47, 7.04, 5.25, 12.50, 5.56, 7.91, 6.89};

double binomial_probability(unsigned n, unsigned k) {
  return std::exp(std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0) - n * std::log(2.0));
}

// The rank of each value, by counting; equal values share their mean rank.
Values ranks_of(const Values& values) {
  Values ranks;
  for (const double value : values) {
    const auto below =
        std::count_if(values.begin(), values.end(), [&](double other) { return other < value; });
    const auto equal = std::count(values.begin(), values.end(), value);
    ranks.push_back(static_cast<double>(below) + (static_cast<double>(equal) + 1) / 2);
  }
  return ranks;
}

}  // namespace

TEST_CASE("a summary agrees with one worked out by hand", "[stats]") {
  const Summary summary = summarize({2, 4, 4, 4, 5, 5, 7, 9}).value();
  CHECK(summary.count == 8);
  CHECK(summary.mean == Approx(5));
  CHECK(summary.standard_deviation == Approx(std::sqrt(32.0 / 7)));
  CHECK(summary.median == Approx(4.5));
  CHECK(summary.min == 2);
  CHECK(summary.max == 9);
  CHECK(summary.median_deviation == Approx(0.5));  // distances .5 .5 .5 .5 .5 2.5 2.5 4.5
}

TEST_CASE("a single value has no deviation, none has no summary, and infinity is refused", "[stats]") {
  const Summary one = summarize({7}).value();
  CHECK(one.median == 7);
  CHECK(one.standard_deviation == 0);
  CHECK(one.median_deviation == 0);
  CHECK(summarize({}).error() == -EINVAL);
  CHECK(summarize({1, kNan}).error() == -EDOM);
  CHECK(summarize({1, kInfinity}).error() == -EDOM);
}

TEST_CASE("the sample keeps its order", "[stats]") {
  const Values values = {3, 1, 2};
  (void)summarize(values);
  (void)quantile(values, 0.5);
  CHECK(values == Values{3, 1, 2});
}

TEST_CASE("a quantile interpolates between order statistics", "[stats]") {
  const Values values = {40, 10, 30, 20};
  CHECK(quantile(values, 0).value() == 10);
  CHECK(quantile(values, 1).value() == 40);
  CHECK(quantile(values, 0.5).value() == Approx(25));
  CHECK(quantile(values, 0.25).value() == Approx(17.5));
  CHECK(quantile({5}, 0.9).value() == 5);
  CHECK(quantile({}, 0.5).error() == -EINVAL);
  CHECK(quantile(values, 1.01).error() == -EDOM);
  CHECK(quantile(values, kNan).error() == -EDOM);
}

TEST_CASE("a value far off is an outlier and does not hide a second one", "[stats]") {
  // Median 10, median deviation 1: 0.6745 x 90 / 1 = 60.7 for the two values that are far off.
  const Outliers found = find_outliers({9, 10, 11, 100, 9, 10, 11, 12, 8, -80}).value();
  CHECK(found.basis == OutlierBasis::kMedianDeviation);
  CHECK(found.indexes == std::vector<std::size_t>{3, 9});
  CHECK(found.scores[3] == Approx(90 * 0.67449).epsilon(1e-4));
  CHECK(found.scores[9] == Approx(-90 * 0.67449).epsilon(1e-4));
}

TEST_CASE("the corner cases of outliers are named", "[stats]") {
  CHECK(find_outliers({}).value().basis == OutlierBasis::kTooFew);
  const Outliers two = find_outliers({1, 1000}).value();
  CHECK(two.basis == OutlierBasis::kTooFew);
  CHECK(two.indexes.empty());
  const Outliers equal = find_outliers({5, 5, 5}).value();
  CHECK(equal.basis == OutlierBasis::kNoSpread);
  CHECK(equal.indexes.empty());
  // Mean distance 100 / 11, so the score is 100 / (1.2533 x 9.09) = 8.78.
  const Outliers mostly_equal = find_outliers({5, 5, 5, 5, 5, 105, 5, 5, 5, 5, 5}).value();
  CHECK(mostly_equal.basis == OutlierBasis::kMeanDeviation);
  CHECK(mostly_equal.indexes == std::vector<std::size_t>{5});
  CHECK(mostly_equal.scores[5] == Approx(8.7767).epsilon(1e-4));
  CHECK(find_outliers({1, 2, kNan}).error() == -EDOM);
  CHECK(find_outliers({1, 2, 3}, 0).error() == -EDOM);
}

TEST_CASE("a normal sample has hardly any outliers", "[stats]") {
  std::mt19937_64 random(6);
  std::normal_distribution<double> normal(100, 10);
  Values values(10'000);
  for (double& value : values) value = normal(random);
  CHECK(find_outliers(values).value().indexes.size() < 20);  // 2 x 0.00023 x 10000 are expected
}

TEST_CASE("Spearman's rho is Pearson's r of the ranks, ties shared", "[stats]") {
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    const std::size_t count = 3 + random() % 30;
    Values x;
    Values y;
    for (std::size_t i = 0; i < count; ++i) {
      x.push_back(static_cast<double>(random() % 10));
      y.push_back(static_cast<double>(random() % 10));
    }
    const auto rho = spearman_correlation(x, y);
    const auto line = fit_line(ranks_of(x), ranks_of(y));
    if (!rho) continue;  // one of the samples has only equal values
    REQUIRE(line);
    REQUIRE(rho.value() * rho.value() == Approx(line.value().r_squared).margin(1e-12));
    REQUIRE(rho.value() * line.value().slope >= 0);
  }
  CHECK(spearman_correlation({1, 2, 3, 4}, {1, 10, 100, 1e9}).value() == Approx(1));
  CHECK(spearman_correlation(kAnscombeX, kAnscombeY1).value() == Approx(0.81818).epsilon(1e-4));
}

TEST_CASE("a correlation that is undefined is an error, not a number", "[stats]") {
  CHECK(spearman_correlation({1, 2}, {1}).error() == -EINVAL);
  CHECK(spearman_correlation({1}, {1}).error() == -EINVAL);
  CHECK(spearman_correlation({1, 1, 1}, {1, 2, 3}).error() == -EDOM);
  CHECK(spearman_correlation({1, 2, 3}, {4, 4, 4}).error() == -EDOM);
  CHECK(spearman_correlation({1, 2, kNan}, {1, 2, 3}).error() == -EDOM);
}

TEST_CASE("the line through Anscombe's sets is the published one", "[stats]") {
  const Line line = fit_line(kAnscombeX, kAnscombeY1).value();
  CHECK(line.intercept == Approx(3.0001).epsilon(1e-4));
  CHECK(line.slope == Approx(0.50009).epsilon(1e-4));
  CHECK(line.r_squared == Approx(0.66654).epsilon(1e-4));
  CHECK(line.slope_error == Approx(0.1179).epsilon(1e-3));
  CHECK(line.intercept_error == Approx(1.1247).epsilon(1e-3));
}

TEST_CASE("two pairs give an exact line without errors, a level one explains nothing", "[stats]") {
  const Line two = fit_line({1, 3}, {2, 6}).value();
  CHECK(two.slope == Approx(2));
  CHECK(two.intercept == Approx(0).margin(1e-12));
  CHECK(two.r_squared == Approx(1));
  CHECK(two.slope_error == 0);
  const Line level = fit_line({1, 2, 3}, {5, 5, 5}).value();
  CHECK(level.slope == Approx(0).margin(1e-12));
  CHECK(level.r_squared == 0);
}

TEST_CASE("an upright line is an error", "[stats]") {
  CHECK(fit_line({2, 2, 2}, {1, 2, 3}).error() == -EDOM);
  CHECK(fit_line({1}, {1}).error() == -EINVAL);
  CHECK(fit_line({1, 2}, {1}).error() == -EINVAL);
  CHECK(fit_line({1, kInfinity}, {1, 2}).error() == -EDOM);
}

TEST_CASE("the sign test counts pairs and gives the binomial's two tails", "[stats]") {
  // Nine pairs are lower, one is higher: 2 x (1 + 10) / 1024.
  const Values first = {1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 5};
  const Values second = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 5};
  const SignTest test = paired_sign_test(first, second).value();
  CHECK(test.lower_count == 9);
  CHECK(test.higher_count == 1);
  CHECK(test.tie_count == 1);
  CHECK(test.p_value == Approx(22.0 / 1024));
  CHECK(paired_sign_test(second, first).value().p_value == Approx(22.0 / 1024));
  CHECK(paired_sign_test({1, 2}, {2, 1}).value().p_value == 1);
  CHECK(paired_sign_test({1, 2}, {1, 2}).value().p_value == 1);
  CHECK(paired_sign_test({1}, {1, 2}).error() == -EINVAL);
  CHECK(paired_sign_test({}, {}).error() == -EINVAL);
  CHECK(paired_sign_test({kNan}, {1}).error() == -EDOM);
}

TEST_CASE("the median's interval is the narrowest that has the confidence, by brute force", "[stats]") {
  for (unsigned count = 1; count <= 200; ++count) {
    Values values;
    for (unsigned i = 0; i < count; ++i) values.push_back(i);
    std::shuffle(values.begin(), values.end(), std::mt19937(count));
    const MedianInterval interval = median_interval(values).value();
    // An interval without the `out` lowest and highest values has confidence 1 - 2 P(at most `out` of `count` values below the median).
    unsigned out = 0;
    double tail = binomial_probability(count, 0);
    while (1 - 2 * (tail + binomial_probability(count, out + 1)) >= 0.95)
      tail += binomial_probability(count, ++out);
    INFO("count " << count);
    REQUIRE(interval.low == out);
    REQUIRE(interval.high == count - 1 - out);
    REQUIRE(interval.confidence == Approx(std::max(0.0, 1 - 2 * tail)).margin(1e-9));
    REQUIRE(interval.is_reached == (count >= 6));
  }
}

TEST_CASE("the median's interval with ten values is the published one", "[stats]") {
  const MedianInterval interval = median_interval({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}).value();
  CHECK(interval.low == 2);
  CHECK(interval.high == 9);
  CHECK(interval.confidence == Approx(0.97852).epsilon(1e-4));
  CHECK(median_interval({}).error() == -EINVAL);
  CHECK(median_interval({1}, 1).error() == -EDOM);
  CHECK(median_interval({kNan}).error() == -EDOM);
}
