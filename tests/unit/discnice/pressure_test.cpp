// SPDX-License-Identifier: MIT
// pressure_test: detects other programs that wait for a disk without counters, from the kernel's sums and from the job's own waits.
//
// How: the test sets the waits of a simulated host. Samples are taken when they are due, and the policies say how long the job has to wait. Left out: how the
// kernel computes its sums, and how members count their waits (system/discnice_foreground).
#include "tools/discnice/policy/pressure.hpp"

#include "tests/support/catch.hpp"
#include "tools/discnice/policy/floor.hpp"
#include "tools/discnice/policy/giving_way.hpp"
#include "tools/discnice/policy/idle.hpp"
#include "tools/discnice/policy/nice.hpp"

using namespace discnice;
using namespace discnice::policy;

namespace {

constexpr std::uint64_t kMillisecondNs = 1'000'000;
constexpr std::uint64_t kSecondNs = 1'000'000'000;

struct Host {
  DiskActivity activity;
  PressureSample pressure;
  Grant grant;
  std::uint64_t now_ns = 1000 * kSecondNs;
  std::uint64_t listened_ns = 0;
  bool are_others_waiting = false;
  OwnTraffic own;
  bool is_stuck = false;  // a call of the job is under way all the time
  unsigned sightings = 0;

  // One millisecond: the job waits in a call of its own unless it keeps still. While it waits, it hides the other programs' waits.
  void step() {
    const bool is_still = listening_until_ns(activity, now_ns) != 0 || is_held();
    if (listening_until_ns(activity, now_ns) != 0) listened_ns += kMillisecondNs;
    now_ns += kMillisecondNs;
    const bool do_we_wait = !is_still || is_stuck;
    if (do_we_wait) pressure.own_stalled_ns += kMillisecondNs;
    if (do_we_wait && !is_stuck) own.read_bytes += 131'072;
    if (do_we_wait || are_others_waiting) pressure.stalled_ns += kMillisecondNs;
    if (!is_pressure_due(activity, now_ns)) return;
    activity = observe_pressure(activity, pressure, own, grant, now_ns);
    if (activity.foreground_at_ns == now_ns) ++sightings;
  }
  void run(std::uint64_t duration_ns) {
    for (const std::uint64_t end_ns = now_ns + duration_ns; now_ns < end_ns;) step();
  }
  [[nodiscard]] bool is_held() const {
    return activity.foreground_at_ns != 0 && now_ns - activity.foreground_at_ns < 100 * kMillisecondNs;
  }
  [[nodiscard]] std::uint64_t wait_ns(const Policy& policy) const {
    const std::uint64_t start_ns =
        policy.hold({now_ns}, grant, activity, 131'072, now_ns).verdict.start_at_ns;
    return start_ns > now_ns ? start_ns - now_ns : 0;
  }
};

}  // namespace

TEST_CASE("a job that waits for its own reads alone sees nobody, and listens for a tenth of its time at most",
          "[pressure]") {
  Host host;
  host.run(10 * kSecondNs);
  CHECK(host.sightings == 0);
  CHECK(host.listened_ns > 0);
  CHECK(host.listened_ns <= kSecondNs);
}

TEST_CASE("others are heard when the job keeps still, however much they are hidden before", "[pressure]") {
  Host host;
  host.run(kSecondNs);
  host.are_others_waiting = true;
  host.run(kListenEveryNs + 2 * kListenNs);
  CHECK(host.sightings > 0);
  CHECK(host.wait_ns(kNice) > 0);
  CHECK(host.wait_ns(kIdle) > 0);
}

TEST_CASE("others who go on waiting hold the job to its turns", "[pressure]") {
  Host host;
  host.are_others_waiting = true;
  host.run(2 * kSecondNs);
  CHECK(host.wait_ns(kNice) > kTurnNs / 2);
  CHECK(host.wait_ns(kNice) <= kTurnNs);
  CHECK(host.wait_ns(kIdle) > 0);
}

TEST_CASE("a second after the others have gone the job is at full speed again", "[pressure]") {
  Host host;
  host.are_others_waiting = true;
  host.run(kSecondNs);
  host.are_others_waiting = false;
  host.run(kSecondNs + 200 * kMillisecondNs);
  CHECK(host.wait_ns(kNice) <= kListenNs);
  CHECK(host.wait_ns(kIdle) <= kListenNs);
}

TEST_CASE(
    "a call of ours that does not end neither passes for somebody else's nor keeps the job still for good",
    "[pressure]") {
  Host host;
  host.is_stuck = true;
  host.run(10 * kSecondNs);
  CHECK(host.sightings == 0);
  CHECK(host.listened_ns <= 5 * kSecondNs);
}

TEST_CASE("waiting of others for a twenty-fifth of the time is housekeeping", "[pressure]") {
  Host host;
  for (int i = 0; i < 400; ++i) {
    host.are_others_waiting = i % 25 == 0;
    host.step();
  }
  CHECK(host.sightings == 0);
}

TEST_CASE("a clock or a sum that goes back is a new beginning", "[pressure]") {
  Host host;
  host.are_others_waiting = true;
  host.run(kSecondNs);
  host.now_ns -= 100 * kSecondNs;
  host.pressure = PressureSample{};
  host.are_others_waiting = false;
  host.run(2 * kSecondNs);
  CHECK(host.wait_ns(kIdle) <= kListenNs);
}

TEST_CASE("a wrong instant to listen until holds nobody", "[pressure]") {
  Host host;
  host.run(kMillisecondNs);
  host.activity.listen_until_ns = host.now_ns + 1000 * kSecondNs;
  CHECK(host.wait_ns(kNice) == 0);
  CHECK(host.wait_ns(kIdle) == 0);
}
