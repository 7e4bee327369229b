// SPDX-License-Identifier: MIT
// pass_size_test: the size of a pass follows from the times of earlier passes.
//
// How: the times of passes are given numbers. Left out: the use of a real disk's times (bench/mac).
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cstdint>

#include "examples/gb-fastsort/pass_size.hpp"

using fastsort::PassSize;

TEST_CASE("a pass is worth the geometric mean of the data and what its disk is read in") {
  CHECK(fastsort::worthwhile_bytes(400, 100) == 200);
  CHECK(fastsort::worthwhile_bytes(0, 100) == 0);
  CHECK(fastsort::worthwhile_bytes(400, 0) == 0);
  CHECK(fastsort::worthwhile_bytes(std::uint64_t{1} << 60U, std::uint64_t{1} << 24U) ==
        std::uint64_t{1} << 42U);  // no overflow
}

TEST_CASE("passes are all of one size, and their sum is what there was") {
  for (const std::uint64_t given : {1U, 7U, 99U, 100U, 1000U}) {
    PassSize size(0);
    std::uint64_t left = 100;
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::uint64_t passes = 0;
    for (; left > 0; left -= last, ++passes) {
      last = size.next(given, left);
      REQUIRE(last > 0);
      REQUIRE(last <= std::min<std::uint64_t>(given, left));
      if (passes == 0) first = last;
      size.note(last, 1);
    }
    CHECK(passes == (100 + given - 1) / given);
    CHECK(first - last <= 1);
  }
}

TEST_CASE("what does not fit makes no pass") {
  const PassSize size(10);
  CHECK(size.next(0, 100) == 0);
  CHECK(size.next(100, 0) == 0);
}

TEST_CASE("half the size is tried and left again where it gains nothing") {
  PassSize size(10);
  size.note(100, 9.0);  // the first pass finds the disk idle, so it does not count
  CHECK(size.next(100, 1000) == 100);
  size.note(100, 1.0);
  CHECK(size.next(100, 1000) == 50);
  CHECK(size.records_most() == 0);  // not decided yet: the memory is kept
  size.note(50, 0.49);
  CHECK(size.next(100, 1000) == 100);
  CHECK(size.records_most() == 100);
  size.note(100, 0.1);  // the size is settled
  CHECK(size.next(100, 1000) == 100);
}

TEST_CASE("as long as half of it is faster the size falls, and not below what the second phase needs") {
  PassSize size(20);
  size.note(100, 1.0);
  double record_s = 1.0;
  for (const std::uint64_t records : {100U, 50U, 25U}) {
    CHECK(size.next(100, 1000) == records);
    size.note(records, record_s * static_cast<double>(records));
    record_s /= 2;
  }
  CHECK(size.next(100, 1000) == 25);
  CHECK(size.records_most() == 25);
}

TEST_CASE("a size that is given is not changed") {
  PassSize size(0);
  for (int i = 0; i < 5; ++i) size.note(100, 1.0 / (i + 1));
  CHECK(size.next(100, 1000) == 100);
  CHECK(size.records_most() == 0);
}
