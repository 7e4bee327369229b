// SPDX-License-Identifier: MIT
// manners_test: a job gives way, judged by its own progress, and does not starve on any kind of disk.
//
// How: a simulated disk serves the job's calls, with or without other users. The clock advances by the times of the calls and of the holds. The times of calls vary as on a
// mechanical disk. Left out: how members measure the times of their calls, and real disks (system/discnice_manners).
#include "tools/discnice/policy/manners.hpp"

#include <random>
#include <utility>

#include "tests/support/catch.hpp"
#include "tools/discnice/policy/floor.hpp"
#include "tools/discnice/policy/registry.hpp"

using namespace discnice;
using namespace discnice::policy;

namespace {

constexpr std::uint64_t kMicrosecondNs = 1000;
constexpr std::uint64_t kSecondNs = 1'000'000'000;

struct Disk {
  JobProgress progress;
  DiskActivity activity;
  ProgressInterval interval;
  Grant grant{.policy_id = kMannersId};
  std::uint64_t now_ns = 1000 * kSecondNs;
  std::uint64_t went_at_ns = 0;
  std::uint64_t calls = 0;
  std::uint64_t held_ns = 0;
  std::uint64_t suspensions = 0;
  bool are_others_there = false;
  bool is_head_away = false;  // the next call that continues a stream must first move the head back
  double slowness = 1;        // factor of the disk's own times
  std::mt19937 random{4711};

  void wait_while_held() {
    const std::uint64_t start_ns =
        kManners.hold({went_at_ns}, grant, activity, 131'072, now_ns).verdict.start_at_ns;
    if (start_ns > now_ns) {
      held_ns += start_ns - now_ns;
      now_ns = start_ns;
      is_head_away = true;
    }
    went_at_ns = now_ns;
  }

  // A call takes its own time, which varies. While others use the disk, a call also takes the time of one of their accesses.
  void call(CallKind kind, std::uint64_t kib, double own_us) {
    wait_while_held();
    std::uniform_real_distribution<double> vary(0.6, 1.4);
    double us = slowness * own_us * vary(random);
    if (is_head_away && kind == CallKind::read_on) us += slowness * 6500 * vary(random);
    is_head_away = kind == CallKind::flush;
    if (are_others_there) us += slowness * 9000 * vary(random);
    const std::uint64_t began_ns = now_ns;
    now_ns += static_cast<std::uint64_t>(us) * kMicrosecondNs;
    ++calls;
    note(kind, kib, began_ns);
  }
  void note(CallKind kind, std::uint64_t kib, std::uint64_t began_ns) {
    if (!is_call_telling(activity, progress, began_ns)) return;
    kind = kind_told(&progress, kind, now_ns - began_ns);
    const std::uint64_t us = (now_ns - began_ns) / kMicrosecondNs;
    CallSums& sums = interval.calls[static_cast<unsigned>(kind)];
    sums = {sums.calls + 1, sums.kib + kib, sums.us + us, sums.kib_squares + kib * kib,
            sums.kib_us + kib * us};
    if (!is_interval_full(progress, interval)) return;
    const std::uint64_t before_ns = activity.foreground_at_ns;
    judge_interval(interval, &progress, &activity, now_ns);
    suspensions += activity.foreground_at_ns != before_ns ? 1 : 0;
    interval = {};
  }
  void stream() { call(CallKind::read_on, 128, 900); }
  void small_file() { call(CallKind::read_start, 8, 7500); }

  template <typename Call>
  void run(std::uint64_t duration_ns, Call call_it) {
    for (const std::uint64_t end_ns = now_ns + duration_ns; now_ns < end_ns;) call_it();
  }
  // The share of the time in which the job was held back during a run of `duration_ns`.
  template <typename Call>
  double held_share(std::uint64_t duration_ns, Call call_it) {
    const std::uint64_t before_ns = held_ns;
    const std::uint64_t start_ns = now_ns;
    run(duration_ns, call_it);
    return static_cast<double>(held_ns - before_ns) / static_cast<double>(now_ns - start_ns);
  }
};

}  // namespace

TEST_CASE("a job alone is hardly ever held back, whatever it does", "[manners]") {
  Disk streaming;
  CHECK(streaming.held_share(60 * kSecondNs, [&] { streaming.stream(); }) < 0.02);
  Disk seeking;
  CHECK(seeking.held_share(60 * kSecondNs, [&] { seeking.small_file(); }) < 0.05);
}

TEST_CASE("a job that goes over from large files to thousands of small ones does not suspend itself",
          "[manners]") {
  Disk disk;
  disk.run(20 * kSecondNs, [&] { disk.stream(); });
  CHECK(disk.held_share(20 * kSecondNs, [&] { disk.small_file(); }) < 0.05);
  CHECK(disk.held_share(20 * kSecondNs, [&] { disk.stream(); }) < 0.05);
}

TEST_CASE("others are felt within a quarter of a second, and the job leaves them nearly all", "[manners]") {
  for (const bool is_streaming : {true, false}) {
    Disk disk;
    const auto go = [&] { is_streaming ? disk.stream() : disk.small_file(); };
    disk.run(5 * kSecondNs, go);
    const std::uint64_t suspended_ns = disk.activity.foreground_at_ns;
    disk.are_others_there = true;
    disk.run(kSecondNs / 4, go);
    CHECK(disk.activity.foreground_at_ns != suspended_ns);
    CHECK(disk.held_share(10 * kSecondNs, go) > 0.85);
  }
}

TEST_CASE("when the others have gone the job goes on within four seconds", "[manners]") {
  Disk disk;
  disk.run(5 * kSecondNs, [&] { disk.stream(); });
  disk.are_others_there = true;
  disk.run(20 * kSecondNs, [&] { disk.stream(); });
  disk.are_others_there = false;
  disk.run(4 * kSecondNs, [&] { disk.stream(); });
  CHECK(disk.held_share(10 * kSecondNs, [&] { disk.stream(); }) < 0.05);
}

TEST_CASE("suspensions grow by doubling, to a bound, and turns come all the same", "[manners]") {
  Disk disk;
  disk.run(5 * kSecondNs, [&] { disk.stream(); });
  disk.are_others_there = true;
  disk.run(10 * kSecondNs, [&] { disk.stream(); });
  CHECK(disk.activity.preemption_ns == kSuspensionMaxNs);
  const std::uint64_t calls = disk.calls;
  disk.run(10 * kSecondNs, [&] { disk.stream(); });
  CHECK(disk.calls - calls >= 10 * kSecondNs / kTurnNs);
  disk.grant.rate_min_bytes_per_s = 10 * 131'072;
  const std::uint64_t before = disk.calls;
  disk.run(10 * kSecondNs, [&] { disk.stream(); });
  CHECK(disk.calls - before >= 80);
}

TEST_CASE("a disk that became slower for good is learned in some minutes", "[manners]") {
  Disk disk;
  disk.run(10 * kSecondNs, [&] { disk.stream(); });
  disk.slowness = 4;
  disk.run(20 * 60 * kSecondNs, [&] { disk.stream(); });
  CHECK(disk.held_share(30 * kSecondNs, [&] { disk.stream(); }) < 0.1);
}

TEST_CASE("ten minutes of others are not learned", "[manners]") {
  Disk disk;
  disk.run(10 * kSecondNs, [&] { disk.stream(); });
  disk.are_others_there = true;
  disk.run(10 * 60 * kSecondNs, [&] { disk.stream(); });
  CHECK(disk.held_share(10 * kSecondNs, [&] { disk.stream(); }) > 0.85);
}

TEST_CASE("a job that has the head go to and fro itself does not take that for others", "[manners]") {
  Disk disk;
  unsigned calls = 0;
  const auto copy = [&] { ++calls % 4 == 0 ? disk.call(CallKind::flush, 512, 20'000) : disk.stream(); };
  CHECK(disk.held_share(60 * kSecondNs, copy) < 0.05);
}

TEST_CASE("a foreground that was there before the job knew better is seen once it has paused", "[manners]") {
  Disk disk;
  disk.are_others_there = true;
  disk.run(2 * kSecondNs, [&] { disk.stream(); });
  disk.are_others_there = false;
  disk.run(2 * kSecondNs, [&] { disk.stream(); });
  disk.are_others_there = true;
  disk.run(kSecondNs / 4, [&] { disk.stream(); });
  CHECK(disk.held_share(10 * kSecondNs, [&] { disk.stream(); }) > 0.85);
}

TEST_CASE("data that a server has in its memory says nothing bad of the disk afterwards", "[manners]") {
  Disk disk;
  disk.run(10 * kSecondNs, [&] { disk.call(CallKind::read_start, 8, 150); });
  CHECK(disk.held_share(10 * kSecondNs, [&] { disk.small_file(); }) < 0.05);
  disk.run(10 * kSecondNs, [&] { disk.call(CallKind::read_on, 128, 200); });
  CHECK(disk.held_share(10 * kSecondNs, [&] { disk.stream(); }) < 0.05);
}

TEST_CASE("a step of writing takes the disk a moment, however fast it is", "[manners]") {
  for (const double kib_us : {1.0, 10.0, 100.0, 1000.0}) {
    Disk disk;
    double us = 0;
    for (int i = 0; i < 40; ++i) {
      const std::uint64_t kib = flush_bytes(disk.progress) / 1024;
      us = 20'000 + kib_us * static_cast<double>(kib);
      disk.call(CallKind::flush, kib, us);
    }
    CHECK(flush_bytes(disk.progress) >= kFlushBytesMin);
    CHECK(flush_bytes(disk.progress) <= kFlushBytesMax);
    CHECK((us < 1.3 * kFlushNs / 1000 || flush_bytes(disk.progress) == kFlushBytesMin));
    CHECK((us > 0.7 * kFlushNs / 1000 || flush_bytes(disk.progress) == kFlushBytesMax));
    CHECK(disk.suspensions == 0);
  }
}

TEST_CASE("nonsense in shared memory is survived", "[manners]") {
  Disk disk;
  disk.progress.signs = UINT64_MAX;
  disk.progress.sign_count = UINT64_MAX;
  disk.progress.good_probes = UINT64_MAX;
  disk.progress.is_suspended = 77;
  disk.interval.calls[0] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
  disk.run(5 * kSecondNs, [&] { disk.stream(); });
  CHECK(disk.calls > 0);
}

TEST_CASE("manners is chosen where nothing counts, by those who give way, and where it is asked for",
          "[manners]") {
  Grant grant{.policy_id = kNiceId};
  CHECK(observed_by(SeenBy::counters, grant) == SeenBy::counters);
  CHECK(observed_by(SeenBy::pressure, grant) == SeenBy::progress);
  CHECK(observed_by(SeenBy::none, grant) == SeenBy::progress);
  CHECK(observed_by(SeenBy::untested, grant) == SeenBy::untested);
  grant.policy_id = kMannersId;
  CHECK(observed_by(SeenBy::counters, grant) == SeenBy::progress);
  grant.policy_id = kRateWindowId;
  CHECK(observed_by(SeenBy::none, grant) == SeenBy::none);
  CHECK(observed_by(SeenBy::counters, grant) == SeenBy::counters);
}
