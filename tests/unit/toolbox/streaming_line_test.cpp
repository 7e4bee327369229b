// SPDX-License-Identifier: MIT
// streaming_line_test: five sums give the line that GSL fits to the samples, and never a negative cost.
//
// How: random samples around a line are compared with toolbox/stats/regression, whole and in two halves that are added; hand-made samples test the borders.
#include "toolbox/base/streaming_line.hpp"

#include <random>
#include <vector>

#include "tests/support/catch.hpp"
#include "toolbox/stats/regression.hpp"

using namespace gray::base;

namespace {

void add_pair(LineSums& sums, double x, double y) {
  add_sums(sums, {1, x, y, x * x, x * y}, 1);
}

}  // namespace

TEST_CASE("the line is that of the regression over all samples", "[streaming_line]") {
  std::mt19937 random(4711);
  std::uniform_real_distribution<double> size(1, 512);
  std::normal_distribution<double> error(0, 300);
  std::vector<double> x;
  std::vector<double> y;
  LineSums first;
  LineSums second;
  for (int i = 0; i < 400; ++i) {
    x.push_back(size(random));
    y.push_back(8000 + 7 * x.back() + error(random));
    add_pair(i % 3 == 0 ? first : second, x.back(), y.back());
  }
  add_sums(first, second, 1);
  const auto fitted = gray::stats::fit_line(x, y);
  REQUIRE(fitted);
  CHECK(cost_line(first).slope == Approx(fitted.value().slope).epsilon(1e-6));
  CHECK(cost_line(first).intercept == Approx(fitted.value().intercept).epsilon(1e-6));
}

TEST_CASE("nothing costs less than nothing", "[streaming_line]") {
  LineSums falling;
  add_pair(falling, 1, 10);
  add_pair(falling, 2, 4);
  CHECK(cost_line(falling).slope == 0);
  CHECK(cost_line(falling).intercept == Approx(7));
  LineSums below;
  add_pair(below, 10, 1);
  add_pair(below, 20, 5);
  CHECK(cost_line(below).intercept == 0);
  CHECK(cost_line(below).slope == Approx(110.0 / 500));
  LineSums alike;
  add_pair(alike, 64, 640);
  add_pair(alike, 64, 1280);
  CHECK(cost_line(alike).slope == Approx(15));
  CHECK(cost_line(alike).intercept == 0);
  CHECK(cost_line(LineSums{}).slope == 0);
  LineSums without_size;
  add_pair(without_size, 0, 5);
  CHECK(cost_line(without_size).intercept == 5);
}

TEST_CASE("what was seen fades to the weight it may have, and keeps its line", "[streaming_line]") {
  LineSums sums;
  for (int i = 0; i < 1000; ++i) add_pair(sums, i, 100 + 2 * i);
  fade_to(sums, 10);
  CHECK(sums.weight == Approx(10));
  CHECK(cost_line(sums).slope == Approx(2));
  CHECK(cost_line(sums).intercept == Approx(100));
  for (int i = 0; i < 90; ++i) add_pair(sums, i, 200);
  CHECK(cost_line(sums).intercept + 50 * cost_line(sums).slope < 1000);
}
