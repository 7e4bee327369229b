// SPDX-License-Identifier: MIT
// clock_test: the clocks agree with the kernel's and never go back.
//
// How: each reading is made between two readings of clock_gettime and compared with them. Left out: their cost, which toolbox/timing measures.
#include "toolbox/base/clock.hpp"

#include <cerrno>

#include "tests/support/catch.hpp"

using namespace gray::base;

namespace {

std::uint64_t kernel_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace

TEST_CASE("the clock reads CLOCK_MONOTONIC in nanoseconds", "[clock]") {
  const std::uint64_t before = kernel_ns(CLOCK_MONOTONIC);
  const std::uint64_t now = monotonic_ns();
  const std::uint64_t after = kernel_ns(CLOCK_MONOTONIC);
  CHECK(before <= now);
  CHECK(now <= after);
}

TEST_CASE("the coarse clock lags the fine one by a tick at most", "[clock]") {
  const std::uint64_t coarse = monotonic_coarse_ns();
  const std::uint64_t fine = monotonic_ns();
  CHECK(coarse <= fine);
  // The slowest tick is 10 ms. The rest allows for a preemption between the two readings.
  CHECK(fine - coarse < 1'000'000'000);
}

TEST_CASE("the clock never goes back, and errno is untouched", "[clock]") {
  errno = 4321;
  std::uint64_t steps_back = 0;
  std::uint64_t last = 0;
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t now = monotonic_ns();
    steps_back += now < last ? 1U : 0U;
    last = now;
  }
  CHECK(steps_back == 0);
  CHECK(errno == 4321);
}
