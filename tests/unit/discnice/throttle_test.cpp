// SPDX-License-Identifier: MIT
// throttle_test: how a wait is cut into slices, and what ends it.
//
// How: a fake clock records every instant until which it should sleep, and returns the errors that the test has listed. The two
// real functions are tried once, for a few milliseconds. Left out: the precision of the kernel's timers.
#include "tools/discnice/throttle/throttle.hpp"

#include <cerrno>
#include <csignal>
#include <vector>

#include "tests/support/catch.hpp"
#include "toolbox/base/clock.hpp"
#include "tools/discnice/throttle/handler_mask.hpp"

using namespace discnice;
using namespace discnice::throttle;

namespace {

constexpr std::uint64_t kStartNs = 1'000'000'000;

// The test decides whether a sleep is exact, too long or interrupted.
struct FakeClock {
  std::uint64_t now_ns = kStartNs;
  std::uint64_t oversleep_ns = 0;
  std::vector<int> statuses;          // of the first sleeps; later sleeps return 0
  std::uint64_t cut_short_by_ns = 0;  // a sleep that fails ends this long before its instant
  std::size_t revoke_after_sleeps = SIZE_MAX;
  bool may_yield = true;
  int yield_questions = 0;
  std::vector<std::uint64_t> instants_ns = {};

  Sleeper sleeper() {
    return {this, [](void* context) { return static_cast<FakeClock*>(context)->now_ns; },
            [](void* context, std::uint64_t instant_ns) {
              return static_cast<FakeClock*>(context)->sleep_until(instant_ns);
            },
            [](void* context) {
              const auto& clock = *static_cast<FakeClock*>(context);
              return clock.instants_ns.size() >= clock.revoke_after_sleeps;
            },
            [](void* context) {
              auto& clock = *static_cast<FakeClock*>(context);
              ++clock.yield_questions;
              return clock.may_yield;
            }};
  }

  int sleep_until(std::uint64_t instant_ns) {
    const int status = instants_ns.size() < statuses.size() ? statuses[instants_ns.size()] : 0;
    instants_ns.push_back(instant_ns);
    if (status == 0) {
      now_ns = instant_ns + oversleep_ns;
    } else if (status == -EINTR) {
      now_ns = instant_ns - cut_short_by_ns;
    }
    return status;
  }
};

}  // namespace

TEST_CASE("a verdict that is already due sleeps not at all", "[throttle]") {
  const auto start_at_ns = GENERATE(as<std::uint64_t>{}, 0, 1, kStartNs - 1, kStartNs);
  FakeClock clock;
  clock.revoke_after_sleeps = 0;
  const WaitEnd end = wait({start_at_ns}, clock.sleeper());
  CHECK(end == WaitEnd::due);
  CHECK(clock.now_ns == kStartNs);
  CHECK(clock.instants_ns.empty());
}

TEST_CASE("a wait ends at the verdict's instant, in slices that do not exceed the limit", "[throttle]") {
  const auto length_ns =
      GENERATE(as<std::uint64_t>{}, 1, kSliceNs - 1, kSliceNs, kSliceNs + 1, 7 * kSliceNs + 3);
  FakeClock clock;
  const WaitEnd end = wait({kStartNs + length_ns}, clock.sleeper());
  CHECK(end == WaitEnd::due);
  CHECK(clock.now_ns == kStartNs + length_ns);
  CHECK(clock.instants_ns.size() == (length_ns + kSliceNs - 1) / kSliceNs);
  std::uint64_t before_ns = kStartNs;
  for (const std::uint64_t instant_ns : clock.instants_ns) {
    CHECK(instant_ns - before_ns <= kSliceNs);
    before_ns = instant_ns;
  }
}

TEST_CASE("oversleeping a slice does not move the end of the wait", "[throttle]") {
  FakeClock clock;
  clock.oversleep_ns = kSliceNs / 3;
  const std::uint64_t due_ns = kStartNs + 10 * kSliceNs;
  const WaitEnd end = wait({due_ns}, clock.sleeper());
  CHECK(end == WaitEnd::due);
  CHECK(clock.instants_ns.size() < 10);
  for (const std::uint64_t instant_ns : clock.instants_ns) CHECK(instant_ns <= due_ns);
  CHECK(clock.now_ns <= due_ns + clock.oversleep_ns);
}

TEST_CASE("a lifted limit ends the wait after the slice it is in", "[throttle]") {
  FakeClock clock;
  clock.revoke_after_sleeps = 3;
  const WaitEnd end = wait({kStartNs + 1'000 * kSliceNs}, clock.sleeper());
  CHECK(end == WaitEnd::revoked);
  CHECK(clock.now_ns == kStartNs + 3 * kSliceNs);
}

TEST_CASE("a signal ends the wait at once when it may", "[throttle]") {
  FakeClock clock;
  clock.statuses = {0, -EINTR};
  clock.cut_short_by_ns = kSliceNs / 2;
  const WaitEnd end = wait({kStartNs + 10 * kSliceNs}, clock.sleeper());
  CHECK(end == WaitEnd::interrupted);
  CHECK(clock.now_ns == kStartNs + kSliceNs + kSliceNs / 2);
  CHECK(clock.yield_questions == 1);
}

TEST_CASE("a signal that may not end the wait costs it no time", "[throttle]") {
  FakeClock clock;
  clock.statuses = {-EINTR, -EINTR, -EINTR};
  clock.cut_short_by_ns = kSliceNs / 2;
  clock.may_yield = false;
  const WaitEnd end = wait({kStartNs + 4 * kSliceNs}, clock.sleeper());
  CHECK(end == WaitEnd::due);
  CHECK(clock.now_ns == kStartNs + 4 * kSliceNs);
  CHECK(clock.yield_questions == 3);
}

TEST_CASE("a limit lifted during a signal that may not end the wait is felt", "[throttle]") {
  FakeClock clock;
  clock.statuses = {-EINTR};
  clock.may_yield = false;
  clock.revoke_after_sleeps = 1;
  CHECK(wait({kStartNs + 10 * kSliceNs}, clock.sleeper()) == WaitEnd::revoked);
}

TEST_CASE("a kernel that refuses to sleep is asked once", "[throttle]") {
  const int status = GENERATE(-EPERM, -ENOSYS, -EINVAL);
  FakeClock clock;
  clock.statuses = {status, status, status};
  const WaitEnd end = wait({kStartNs + 10 * kSliceNs}, clock.sleeper());
  CHECK(end == WaitEnd::refused);
  CHECK(clock.now_ns == kStartNs);
  CHECK(clock.instants_ns.size() == 1);
  CHECK(clock.yield_questions == 0);
}

TEST_CASE("the real clock sleeps until an absolute instant and leaves errno alone", "[throttle]") {
  const SignalMask program_mask = 0;
  const std::uint64_t before_ns = gray::base::monotonic_ns();
  errno = E2BIG;
  CHECK(sleep_until(before_ns + 3'000'000, program_mask) == 0);
  CHECK(gray::base::monotonic_ns() >= before_ns + 3'000'000);
  CHECK(sleep_until(before_ns, program_mask) == 0);  // an instant in the past
  CHECK(errno == E2BIG);
}

namespace {

volatile sig_atomic_t handled = 0;

void count_signal(int /*number*/) {
  handled = handled + 1;
}

}  // namespace

TEST_CASE("a signal that comes between two sleeps of a call ends the next one", "[throttle]") {
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = count_signal;
  sigaction(SIGUSR1, &action, &before);
  handled = 0;
  {
    SignalHold hold;
    hold.begin();
    raise(SIGUSR1);
    CHECK(handled == 0);  // the signal is held back between two sleeps
    const std::uint64_t start_ns = gray::base::monotonic_ns();
    CHECK(sleep_until(start_ns + 5'000'000'000, hold.program_mask()) == -EINTR);
    CHECK(handled == 1);
    CHECK(gray::base::monotonic_ns() - start_ns < 1'000'000'000);
    raise(SIGUSR1);
    CHECK(handled == 1);
  }
  CHECK(handled == 2);  // delivered when the call is over
  sigset_t mask;
  sigprocmask(SIG_BLOCK, nullptr, &mask);
  CHECK(sigismember(&mask, SIGUSR1) == 0);
  sigaction(SIGUSR1, &before, nullptr);
}

TEST_CASE("a wait with a signal blocked that ends programs begins in its handler, until one has ended so",
          "[throttle]") {
  HandlerMask mask;
  CHECK_FALSE(mask.is_in_handler(0));
  CHECK_FALSE(mask.is_in_handler(signal_bit(SIGCHLD) | signal_bit(SIGALRM)));
  for (const int number : {SIGHUP, SIGINT, SIGQUIT, SIGTERM}) CHECK(mask.is_in_handler(signal_bit(number)));
  mask.note_waited(signal_bit(SIGINT) | signal_bit(SIGCHLD));
  CHECK_FALSE(mask.is_in_handler(signal_bit(SIGINT)));
  CHECK(mask.is_in_handler(signal_bit(SIGINT) | signal_bit(SIGTERM)));
  mask.note_waited(0);
  CHECK(mask.is_in_handler(signal_bit(SIGINT)));
}
