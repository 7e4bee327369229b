// SPDX-License-Identifier: MIT
// hit_classifier_test: a miss is told from a hit by the ratio and the difference of two latencies.
//
// How: the test uses latencies at the borders of the rule, and pairs of latencies as on real machines. Left out: how often real latencies cross a border
// (tests/system/gbp_order_test.sh).
#include "tests/support/catch.hpp"

#include "libgray/src/core/hit_classifier.hpp"

using gray::core::is_hit_credible;
using gray::core::is_miss;
using gray::core::is_miss_by_threshold;
using gray::core::kCertainHitMaxNs;
using gray::core::kMissExcessNs;
using gray::core::kMissRatio;

TEST_CASE("a probe missed only when it was slower by the ratio and by the amount") {
  CHECK_FALSE(is_miss(kMissExcessNs + 100, 100));
  CHECK(is_miss(kMissExcessNs + 101, 100));
  const std::uint64_t slow_hit_ns = 50'000;
  CHECK_FALSE(is_miss(slow_hit_ns * kMissRatio, slow_hit_ns));
  CHECK(is_miss(slow_hit_ns * kMissRatio + 1, slow_hit_ns));
}

TEST_CASE("latencies of real devices are told apart") {
  CHECK_FALSE(is_miss(400, 300));        // cached
  CHECK_FALSE(is_miss(4'000, 300));      // cached, with cold processor caches
  CHECK(is_miss(40'000, 300));           // flash
  CHECK(is_miss(5'500'000, 1'000));      // a mechanical disk
  CHECK_FALSE(is_miss(300, 4'000'000));  // the process lost its processor during the certain hit
}

TEST_CASE("by a measured threshold, the threshold itself is still a hit") {
  CHECK_FALSE(is_miss_by_threshold(2'000, 2'000));
  CHECK(is_miss_by_threshold(2'001, 2'000));
}

TEST_CASE("a certain hit that slept or took long came from no page cache") {
  CHECK(is_hit_credible(300, false));
  CHECK(is_hit_credible(kCertainHitMaxNs, false));
  CHECK_FALSE(is_hit_credible(kCertainHitMaxNs + 1, false));
  CHECK_FALSE(is_hit_credible(300, true));
}
