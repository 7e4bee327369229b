// SPDX-License-Identifier: MIT
// levels_test: different levels are found, each time is put in its level, and a single level is not divided.
//
// How: times are generated from seeds, and the share of wrong answers is compared with a bound. The bounds are rounded up from the results of the calibration
// (the constants in levels.cpp). Left out: whether real times are like the generated times. script/bench gbp tests this with real files on emulated
// disks.
#include "toolbox/base/levels.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "tests/support/catch.hpp"

using namespace gray::base;

namespace {

using Random = std::mt19937_64;
using Times = std::vector<std::uint64_t>;
using Make = std::function<double(Random&)>;

constexpr std::uint64_t kSamples = 200;
constexpr std::uint64_t kThresholdNs = 10'000;

// The distributions of the standard library differ between C++ libraries. These functions give the same values everywhere.
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

// A cached read; one in fifty is delayed.
double cached(Random& random) {
  const double hiccup_ns = uniform(random) < 0.02 ? 20'000 * exponential(random) : 0;
  return 900 * std::exp(0.25 * normal(random)) + hiccup_ns;
}

double flash(Random& random) {
  return 60e3 * std::exp(0.3 * normal(random));
}

// A read from the disk's own buffer.
double buffered(Random& random) {
  return 0.16e6 * std::exp(std::log(5) * uniform(random));
}

// A read with a seek and a turn.
double disk(Random& random) {
  return 0.8e6 + 6.3e6 * std::sqrt(uniform(random)) + 8.3e6 * uniform(random);
}

double server(Random& random) {
  return 30e6 + 0.4e6 * exponential(random);
}

Times times_of(const std::vector<Make>& levels, std::size_t each, Random& random) {
  Times times;
  for (const Make& make : levels)
    for (std::size_t i = 0; i < each; ++i)
      times.push_back(static_cast<std::uint64_t>(std::max(1.0, make(random))));
  return times;
}

// The share of samples in which the found number of levels is wrong.
double wrong_share(const std::vector<Make>& levels, std::size_t each, std::uint64_t alike_ns = 0,
                   std::uint64_t samples = kSamples) {
  int wrong = 0;
  for (std::uint64_t seed = 1; seed <= samples; ++seed) {
    Random random(seed);
    const Times times = times_of(levels, each, random);
    if (find_levels(times.data(), times.size(), alike_ns).count != levels.size()) ++wrong;
  }
  return static_cast<double>(wrong) / static_cast<double>(samples);
}

}  // namespace

TEST_CASE("one kind of time is one level, however it is spread and however many there are") {
  const auto wide = [](Random& random) { return 1e6 * std::exp(normal(random)); };
  const auto even = [](Random& random) { return 1e6 + 16e6 * uniform(random); };
  const auto steep = [](Random& random) { return 1e6 * exponential(random); };
  const std::size_t count = GENERATE(1U, 5U, 20U, 100U, 400U, 2000U);
  CAPTURE(count);
  CHECK(wrong_share({flash}, count) <= 0.01);
  CHECK(wrong_share({disk}, count) <= 0.01);
  CHECK(wrong_share({server}, count) <= 0.01);
  CHECK(wrong_share({wide}, count) <= 0.01);
  CHECK(wrong_share({even}, count) <= 0.02);
  CHECK(wrong_share({steep}, count) <= 0.02);
}

TEST_CASE("memory, flash, a disk and a server are told apart without a word on how many they are") {
  CHECK(wrong_share({cached, disk}, 10) <= 0.01);
  CHECK(wrong_share({cached, flash, disk}, 10) <= 0.02);
  CHECK(wrong_share({cached, flash, disk, server}, 25, kThresholdNs) <= 0.02);
  CHECK(wrong_share({cached, flash, disk, server}, 100, kThresholdNs) <= 0.01);
  CHECK(wrong_share({cached, flash, disk, server}, 1000, kThresholdNs) <= 0.01);
}

TEST_CASE("each time is in the level that it was made for") {
  std::size_t wrong = 0;
  std::size_t all = 0;
  const std::vector<Make> made{cached, flash, disk, server};
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Random random(seed);
    const Times times = times_of(made, 100, random);
    const Levels levels = find_levels(times.data(), times.size(), kThresholdNs);
    REQUIRE(levels.count == made.size());
    for (std::size_t i = 0; i < times.size(); ++i) wrong += levels.of(times[i]) != i / 100 ? 1U : 0U;
    all += times.size();
  }
  CHECK(static_cast<double>(wrong) <= 0.006 * static_cast<double>(all));
}

TEST_CASE("a few stragglers neither join two levels nor are one") {
  Random random(7);
  Times times = times_of({cached, flash, disk}, 100, random);
  for (const std::uint64_t straggler : {300'000U, 500'000U, 900'000U, 1'400'000U}) times.push_back(straggler);
  const Levels levels = find_levels(times.data(), times.size(), kThresholdNs);
  REQUIRE(levels.count == 3);
  CHECK(levels.level[0].count + levels.level[1].count + levels.level[2].count == times.size());
}

// If kStragglers were a tenth, the last case would fail more than three times as often: the few times between two levels would join these levels. If a tenth of
// a disk's data is in its buffer, the buffer is sometimes a level of its own. This test leaves out such a share.
TEST_CASE(
    "a disk that has a few files in its own buffer, and flash that is held up, are two levels all the same") {
  const auto often = [](double share, const Make& usual, const Make& other) {
    return [=](Random& random) { return uniform(random) < share ? other(random) : usual(random); };
  };
  const auto held_up = [](Random& random) { return flash(random) + 60e6 * uniform(random); };
  constexpr std::uint64_t kMany = 2000;
  for (const double share : {0.01, 0.03, 0.05}) {
    CAPTURE(share);
    CHECK(wrong_share({cached, often(0.005, flash, held_up), often(share, disk, buffered), server}, 100,
                      kThresholdNs, kMany) <= 0.01);
  }
}

TEST_CASE("levels say what is in them") {
  const Times times{1000, 1000, 1000, 1000, 0, 8'000'000, 8'000'000, 8'000'000, 8'000'000};
  const Levels levels = find_levels(times.data(), times.size());
  REQUIRE(levels.count == 2);
  CHECK(levels.level[0].count == 4);
  CHECK(levels.level[1].count == 4);
  CHECK(std::abs(static_cast<double>(levels.level[0].median_ns) / 1000 - 1) < 0.03);
  CHECK(std::abs(static_cast<double>(levels.level[1].median_ns) / 8e6 - 1) < 0.03);
  CHECK(levels.level[0].high_ns > 20'000);
  CHECK(levels.level[0].high_ns < 500'000);
  CHECK(levels.level[1].high_ns == std::numeric_limits<std::uint64_t>::max());
  CHECK(levels.of(1) == 0);
  CHECK(levels.of(1'000'000'000'000) == 1);
}

TEST_CASE("what is known to be alike is one level") {
  Random random(3);
  const Times times =
      times_of({cached, [](Random& r) { return 6000 * std::exp(0.1 * normal(r)); }, disk}, 50, random);
  CHECK(find_levels(times.data(), times.size()).count == 3);
  CHECK(find_levels(times.data(), times.size(), kThresholdNs).count == 2);
}

TEST_CASE("without a time there is no level, and any number is taken") {
  CHECK(find_levels(nullptr, 0).count == 0);
  const Times none{0, 0};
  CHECK(find_levels(none.data(), none.size()).count == 0);
  const Times extremes{1,
                       1,
                       1,
                       std::numeric_limits<std::uint64_t>::max(),
                       std::numeric_limits<std::uint64_t>::max(),
                       std::numeric_limits<std::uint64_t>::max()};
  CHECK(find_levels(extremes.data(), extremes.size()).count == 2);
}
