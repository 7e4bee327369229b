// SPDX-License-Identifier: MIT
// fullness_test: a cache counts as full when it does not grow although pages are fetched. Left out: the code that looks at the cache
// (tests/system/gbp_stream_test.sh).
#include "tests/support/catch.hpp"

#include "tools/gbp/fullness.hpp"

namespace {

using gray::base::kMiB;

// A cache keeps this share of the fetched pages. Returns the bytes that must be requested until it counts as full, with a look whenever one is due.
std::uint64_t asked_until_full(double kept_share) {
  gbp::Fullness fullness(200 * kMiB);
  double cached_bytes = 100.0 * kMiB;
  std::uint64_t asked_bytes = 0;
  for (; !fullness.is_full() && asked_bytes < 100 * kMiB; asked_bytes += kMiB / 8) {
    if (fullness.wants_look()) fullness.look(static_cast<std::uint64_t>(cached_bytes));
    fullness.note_asked(kMiB / 8);
    cached_bytes += kept_share * kMiB / 8;
  }
  return asked_bytes;
}

}  // namespace

TEST_CASE("a cache that keeps what comes is not full") {
  CHECK(asked_until_full(1) == 100 * kMiB);
}

TEST_CASE("a cache that gives up as much as comes is full after two looks") {
  CHECK(asked_until_full(0) <= 2 * gbp::Fullness::step_bytes(200 * kMiB) + kMiB);
}

TEST_CASE("one look that finds less is no proof") {
  gbp::Fullness fullness(200 * kMiB);
  std::uint64_t cached_bytes = 100 * kMiB;
  for (const bool is_kept : {true, true, false, true, false, true}) {
    fullness.look(cached_bytes);
    CHECK_FALSE(fullness.is_full());
    fullness.note_asked(8 * kMiB);
    cached_bytes += is_kept ? 8 * kMiB : 0;
  }
}

TEST_CASE("what was cached and is gone is proof enough") {
  gbp::Fullness fullness(200 * kMiB);
  fullness.note_evicted(gbp::Fullness::step_bytes(200 * kMiB) - 1);
  CHECK_FALSE(fullness.is_full());
  fullness.note_evicted(gbp::Fullness::step_bytes(200 * kMiB));
  CHECK(fullness.is_full());
}

TEST_CASE("where a limit leaves room, what comes is kept till that is used, whatever was evicted") {
  gbp::Fullness fullness(200 * kMiB);
  fullness.note_evicted(10 * kMiB);  // the kernel frees more at a time than it needs
  fullness.look(100 * kMiB, 2 * kMiB);
  CHECK_FALSE(fullness.is_full());
  fullness.note_asked(2 * kMiB - gbp::kReserveBytes);
  CHECK_FALSE(fullness.is_full());
  fullness.note_asked(1);
  CHECK(fullness.is_full());
}

TEST_CASE("what was given back makes room for the next") {
  gbp::Fullness fullness(200 * kMiB);
  fullness.look(100 * kMiB, kMiB);
  fullness.note_asked(kMiB);
  REQUIRE(fullness.is_full());
  fullness.note_given_back(kMiB);
  CHECK_FALSE(fullness.is_full());
}

TEST_CASE("a cache that its limit fills is looked at again: somebody may have left it") {
  const std::uint64_t step_bytes = gbp::Fullness::step_bytes(200 * kMiB);
  gbp::Fullness fullness(200 * kMiB);
  fullness.look(100 * kMiB, 0);
  REQUIRE(fullness.is_full());
  fullness.note_asked(step_bytes);
  fullness.note_given_back(step_bytes);
  REQUIRE(fullness.wants_look());
  fullness.look(100 * kMiB, 10 * kMiB);
  CHECK_FALSE(fullness.is_full());
}

TEST_CASE("where nobody can tell nobody looks again") {
  gbp::Fullness fullness(200 * kMiB);
  CHECK(fullness.wants_look());
  fullness.give_up();
  CHECK_FALSE(fullness.wants_look());
  CHECK_FALSE(fullness.is_full());
}
