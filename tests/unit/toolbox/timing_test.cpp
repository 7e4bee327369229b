// SPDX-License-Identifier: MIT
// timing_test: the clock's cost and step, its order, and a cached read. Left out: the exactness of a median on a busy host.
#include <ctime>

#include "tests/support/catch.hpp"
#include "toolbox/timing/cached_read.hpp"
#include "toolbox/timing/timer.hpp"

using namespace gray::timing;

TEST_CASE("cost and resolution are those of a real clock", "[timing]") {
  const Timer timer;
  CHECK(timer.cost_ns() > 0.5);
  CHECK(timer.cost_ns() < 20'000);  // even a real system call on a slow virtual machine takes less
  CHECK(timer.resolution_ns() >= 1);
  CHECK(timer.resolution_ns() < 20'000'000);
}

TEST_CASE("an interval is at least as long as what was slept in it", "[timing]") {
  const std::uint64_t start_ns = Timer::now_ns();
  const timespec pause{0, 20'000'000};
  timespec left = pause;
  while (nanosleep(&left, &left) != 0) {
  }
  CHECK(Timer::ns_since(start_ns) >= 20e6);
  CHECK(Timer::ns_since(start_ns) < 60e9);
}

TEST_CASE("a timer never runs backwards and an interval is never negative", "[timing]") {
  std::uint64_t last_ns = Timer::now_ns();
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t now_ns = Timer::now_ns();
    REQUIRE(now_ns >= last_ns);
    last_ns = now_ns;
  }
  CHECK(Timer::ns_since(Timer::now_ns() + 1'000'000'000'000) == 0);
}

TEST_CASE("a cached read is timed in milliseconds and takes no less than reading the clock") {
  const auto read = time_cached_read();
  REQUIRE(read);
  CHECK(read.value().hit_ns > 20);
  CHECK(read.value().hit_ns < 1e6);
  CHECK(read.value().took_ns < 100'000'000);
}
