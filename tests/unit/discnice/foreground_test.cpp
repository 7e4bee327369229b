// SPDX-License-Identifier: MIT
// foreground_test: detects other users of a disk, from the disk's counters and from the bytes charged to the job; and the policies that
// depend on it.
//
// How: the counters of a simulated disk change as the test says, and are read every few milliseconds. The right answer is known, because each step says whose
// requests it made.
// Left out: reading /sys (system tests), and disks whose other readers are not all known.
#include "tools/discnice/policy/foreground.hpp"

#include "tests/support/catch.hpp"
#include "tools/discnice/policy/floor.hpp"
#include "tools/discnice/policy/giving_way.hpp"
#include "tools/discnice/policy/idle.hpp"
#include "tools/discnice/policy/lumps.hpp"
#include "tools/discnice/policy/nice.hpp"

using namespace discnice;
using namespace discnice::policy;

namespace {

constexpr std::uint64_t kMillisecondNs = 1'000'000;
constexpr std::uint64_t kSecondNs = 1'000'000'000;
constexpr std::uint64_t kLookNs = 3 * kMillisecondNs;
constexpr std::uint64_t kWindowBytes = 131'072;

struct Disk {
  DiskActivity activity;
  DiskSample sample;
  OwnTraffic own;
  Grant grant;
  std::uint64_t now_ns = 1000 * kSecondNs;

  Disk() { look(); }
  void look() {
    now_ns += kLookNs;
    activity = observe(activity, sample, own, grant, now_ns);
  }
  void reads(std::uint64_t bytes) {
    sample.reads += 1;
    sample.read_bytes += bytes;
  }
  // The job reads a window, and the bytes are charged to it.
  void own_read() {
    own.read_bytes += kWindowBytes;
    reads(kWindowBytes);
    look();
  }
  // The job reads this many small pieces.
  void own_reads(unsigned count, std::uint64_t bytes) {
    own.read_bytes += count * bytes;
    sample.reads += count;
    sample.read_bytes += count * bytes;
    look();
  }
  // A read by another program takes as long as on a mechanical disk.
  void others_read(std::uint64_t bytes = 4'096) {
    reads(bytes);
    sample.read_ms += kRandomReadNs / kMillisecondNs;
    look();
  }
  void quiet(std::uint64_t duration_ns) {
    for (const std::uint64_t end_ns = now_ns + duration_ns; now_ns < end_ns;) look();
  }
  [[nodiscard]] bool sees_others() const { return activity.foreground_at_ns == now_ns; }
  [[nodiscard]] std::uint64_t wait_ns(const Policy& policy, std::uint64_t cost_bytes = kWindowBytes,
                                      std::uint64_t last_go_ns = UINT64_MAX) const {
    const State last_go{last_go_ns == UINT64_MAX ? now_ns : last_go_ns};
    const std::uint64_t start_ns =
        policy.hold(last_go, grant, activity, cost_bytes, now_ns).verdict.start_at_ns;
    return start_ns > now_ns ? start_ns - now_ns : 0;
  }
};

}  // namespace

TEST_CASE("what the job was booked for is not somebody else's", "[foreground]") {
  Disk disk;
  for (int i = 0; i < 1000; ++i) {
    disk.own_read();
    REQUIRE_FALSE(disk.sees_others());
  }
}

TEST_CASE("a single page read beside a job in full run is seen", "[foreground]") {
  Disk disk;
  for (int i = 0; i < 100; ++i) disk.own_read();
  disk.own.read_bytes += kWindowBytes;
  disk.reads(kWindowBytes);
  disk.others_read();
  CHECK(disk.sees_others());
}

TEST_CASE("a prediction that never became a read hides nobody for long", "[foreground]") {
  Disk disk;
  disk.own.read_bytes += 100 * kWindowBytes;
  disk.look();
  disk.look();  // nothing is under way: the job's request did not reach the disk
  disk.others_read();
  CHECK(disk.sees_others());
}

TEST_CASE("more reads under way than ours can be are somebody's, before any of them has ended",
          "[foreground]") {
  Disk disk;
  for (int i = 0; i < 100; ++i) disk.own_read();
  disk.own.read_bytes += kWindowBytes;
  disk.sample.in_flight = disk.sample.reads_in_flight = 1;
  disk.look();
  CHECK_FALSE(disk.sees_others());
  disk.sample.in_flight = disk.sample.reads_in_flight = 3;
  disk.look();
  CHECK(disk.sees_others());
}

TEST_CASE("writes under way tell of nobody, for the kernel makes ours when it likes", "[foreground]") {
  Disk disk;
  disk.own.written_bytes += kWindowBytes;
  disk.sample.in_flight = 30;
  for (int i = 0; i < 100; ++i) {
    disk.look();
    REQUIRE_FALSE(disk.sees_others());
  }
}

TEST_CASE("a flush that no call of ours asked for is somebody's fsync", "[foreground]") {
  Disk disk;
  disk.quiet(kSecondNs);
  disk.sample.flushes += 1;
  disk.look();
  CHECK(disk.sees_others());
  disk.quiet(kSecondNs);
  // The job's own sync call begins, is seen under way, and ends. Its flush is counted one look later.
  disk.own.syncs += 1;
  disk.look();
  disk.own.syncs += 1;
  disk.look();
  disk.sample.flushes += 1;
  disk.look();
  CHECK_FALSE(disk.sees_others());
  disk.sample.flushes += 1;
  disk.look();
  CHECK(disk.sees_others());
}

TEST_CASE("what the disk writes and flushes while the launcher sends what was left is the job's",
          "[foreground]") {
  Disk disk;
  disk.quiet(kSecondNs);
  const std::uint64_t seen_ns = disk.activity.foreground_at_ns;
  disk.own.is_syncing = 1;
  for (int i = 0; i < 3; ++i) {
    disk.sample.written_bytes += 1'000'000;  // inodes and the journal: charged to no process
    disk.sample.flushes += 1;
    disk.look();
  }
  disk.own.is_syncing = 0;
  disk.sample.flushes += 1;
  disk.look();
  CHECK(disk.activity.foreground_at_ns == seen_ns);
  disk.quiet(100 * kMillisecondNs);
  disk.sample.flushes += 1;
  disk.look();
  CHECK(disk.activity.foreground_at_ns == disk.now_ns);
}

TEST_CASE("what was booked before the launcher's sending is on the disk when that has ended",
          "[foreground]") {
  Disk disk;
  disk.quiet(kSecondNs);
  disk.own.written_bytes += 9'000'000;
  disk.look();
  CHECK(disk.activity.own_writes_awaited == 9'000'000);
  disk.own.is_syncing = 1;
  disk.sample.written_bytes += 3'000'000;  // the metadata was less than the bytes booked for it
  disk.look();
  disk.own.written_bytes += 500'000;  // booked while the sync runs
  disk.look();
  disk.own.is_syncing = 0;
  disk.own.written_bytes += 200'000;
  disk.look();
  CHECK(disk.activity.own_writes_awaited >= 700'000);
  CHECK(disk.activity.own_writes_awaited < 710'000);
}

TEST_CASE("a foreground that waits for its fsync twenty times a second holds nice down", "[nice]") {
  Disk disk;
  for (int i = 0; i < 40; ++i) {
    disk.sample.flushes += 1;
    disk.look();
    disk.quiet(50 * kMillisecondNs);
  }
  CHECK(disk.wait_ns(kNice, UINT64_C(1) << 20) == kTurnNs);
}

TEST_CASE("one whose fsyncs have become slow, by what nice wrote in between, is waited for longer",
          "[nice]") {
  Disk disk;
  for (int i = 0; i < 40; ++i) {
    disk.sample.flushes += 1;
    disk.look();
    disk.quiet(130 * kMillisecondNs);
  }
  CHECK(disk.wait_ns(kNice, UINT64_C(1) << 20) == kTurnNs);
  disk.quiet(2 * kSecondNs);
  CHECK(disk.wait_ns(kNice, UINT64_C(1) << 20) == 0);
  disk.others_read();
  CHECK(disk.activity.preemption_ns <= kPreemptionMaxNs);
}

TEST_CASE("writes of ours that reach the disk half a minute later are ours still", "[foreground]") {
  Disk disk;
  disk.own.written_bytes += 10'000'000;
  disk.look();
  disk.quiet(30 * kSecondNs);
  disk.sample.writes += 10;
  disk.sample.written_bytes += 10'000'000;
  disk.look();
  CHECK_FALSE(disk.sees_others());
  disk.sample.writes += 10;
  disk.sample.written_bytes += 1'000'000;
  disk.look();
  CHECK(disk.sees_others());
}

TEST_CASE("a clock or counters that go back are a new beginning and no endless foreground", "[foreground]") {
  Disk disk;
  disk.others_read();
  disk.now_ns -= 100 * kSecondNs;
  disk.look();
  CHECK(disk.activity.foreground_at_ns <= disk.now_ns);
  disk.sample = DiskSample{};
  disk.look();
  disk.quiet(kSecondNs);
  CHECK(disk.wait_ns(kIdle) == 0);
  CHECK(disk.wait_ns(kNice) == 0);
}

TEST_CASE("idle waits until the disk was quiet for the preemption interval", "[idle]") {
  Disk disk;
  CHECK(disk.wait_ns(kIdle) == 0);
  disk.others_read();
  const std::uint64_t interval_ns = disk.activity.preemption_ns;
  CHECK(disk.wait_ns(kIdle) == interval_ns);
  disk.quiet(interval_ns / 2);
  CHECK(disk.wait_ns(kIdle) > 0);
  disk.quiet(interval_ns);
  CHECK(disk.wait_ns(kIdle) == 0);
}

TEST_CASE("a foreground that only paused makes the interval grow, and shrink when it is gone", "[idle]") {
  Disk disk;
  disk.others_read();
  const std::uint64_t base_ns = disk.activity.preemption_ns;
  for (int i = 0; i < 40; ++i) {
    disk.quiet(disk.activity.preemption_ns);
    disk.own_read();
    disk.others_read();
  }
  CHECK(disk.activity.preemption_ns >= 3 * base_ns);
  CHECK(disk.activity.preemption_ns <= kPreemptionMaxNs);
  disk.quiet(60 * kSecondNs);
  CHECK(disk.activity.preemption_ns == base_ns);
}

TEST_CASE("a foreground that is back before the job was seen to have run makes the interval grow as well",
          "[idle]") {
  Disk disk;
  disk.others_read();
  const std::uint64_t base_ns = disk.activity.preemption_ns;
  disk.quiet(base_ns);
  disk.own.read_bytes += kWindowBytes;
  disk.reads(kWindowBytes);
  disk.others_read();
  CHECK(disk.activity.preemption_ns == 2 * base_ns);
}

TEST_CASE("what was written earlier and reaches the disk now counts as the job's running", "[idle]") {
  Disk disk;
  disk.own.written_bytes += 4 * kWindowBytes;
  disk.others_read();
  const std::uint64_t base_ns = disk.activity.preemption_ns;
  disk.quiet(base_ns);
  disk.sample.writes += 1;
  disk.sample.written_bytes += kWindowBytes;
  disk.look();
  CHECK_FALSE(disk.sees_others());
  disk.others_read();
  CHECK(disk.activity.preemption_ns == 2 * base_ns);
}

TEST_CASE("a foreground that no longer pauses for as short as before finds the interval as it was",
          "[idle]") {
  Disk disk;
  disk.others_read();
  const std::uint64_t base_ns = disk.activity.preemption_ns;
  disk.quiet(2 * kSecondNs);
  disk.own_read();
  disk.quiet(2 * kSecondNs);
  disk.others_read();
  CHECK(disk.activity.preemption_ns == base_ns);
}

TEST_CASE("somebody's fsync is seen when it has ended, so the next one is waited for longest", "[idle]") {
  Disk disk;
  disk.sample.flushes += 1;
  disk.look();
  CHECK(disk.sees_others());
  CHECK(disk.activity.preemption_ns == kPreemptionMaxNs);
  CHECK(disk.wait_ns(kIdle) == kPreemptionMaxNs);
}

TEST_CASE("the interval begins at twice the time measured of a random read, whenever that comes to be known",
          "[idle]") {
  Disk disk;
  CHECK(disk.activity.preemption_ns == 2 * kRandomReadNs);
  disk.grant.random_read_ns = 90'000;
  disk.look();
  CHECK(disk.activity.preemption_ns == kPreemptionMinNs);
  disk.grant.random_read_ns = 12 * kMillisecondNs;
  disk.look();
  CHECK(disk.activity.preemption_ns == 24 * kMillisecondNs);
  disk.grant.random_read_ns = UINT64_MAX;
  disk.look();
  CHECK(disk.activity.preemption_ns == kPreemptionMaxNs);
}

TEST_CASE("what an interval has grown by stays when its base comes to be known", "[idle]") {
  Disk disk;
  for (int i = 0; i < 3; ++i) {
    disk.quiet(disk.activity.preemption_ns);
    disk.own_read();
    disk.others_read();
  }
  const std::uint64_t grown_ns = disk.activity.preemption_ns - 2 * kRandomReadNs;
  REQUIRE(grown_ns > 0);
  disk.grant.random_read_ns = 2 * kMillisecondNs;
  disk.look();
  CHECK(disk.activity.preemption_ns >= 4 * kMillisecondNs + grown_ns - kMillisecondNs);
  CHECK(disk.activity.preemption_ns <= 4 * kMillisecondNs + grown_ns);
}

TEST_CASE("without a measured time it is learned of the job's own small reads, and bounded", "[idle]") {
  Disk disk;
  // A flash disk: eight reads take less than a millisecond, so the counter shows a millisecond only now and then.
  for (int i = 0; i < 1000; ++i) {
    if (i % 2 == 0) disk.sample.read_ms += 1;
    disk.own_reads(8, 4'096);
  }
  CHECK(disk.activity.random_read_ns < 200'000);
  CHECK(disk.activity.preemption_ns == kPreemptionMinNs);
  for (int i = 0; i < 1000; ++i) {
    disk.sample.read_ms += 12;
    disk.own_reads(1, 4'096);
  }
  CHECK(disk.activity.random_read_ns > 11 * kMillisecondNs);
  CHECK(disk.activity.random_read_ns <= 12 * kMillisecondNs);
  for (int i = 0; i < 1000; ++i) {
    disk.sample.read_ms += 100'000;
    disk.own_reads(1, 4'096);
  }
  CHECK(disk.activity.preemption_ns == kPreemptionMaxNs);
}

TEST_CASE("a stream tells nothing of a random read, and neither does what others read", "[idle]") {
  Disk disk;
  for (int i = 0; i < 1000; ++i) {
    disk.sample.read_ms += 1;
    disk.own_read();
  }
  for (int i = 0; i < 100; ++i) disk.others_read();
  CHECK(disk.activity.random_read_ns == 0);
}

TEST_CASE("an interval that was asked for stays", "[idle]") {
  Disk disk;
  disk.grant.preemption_ns = 37 * kMillisecondNs;
  for (int i = 0; i < 10; ++i) {
    disk.others_read();
    CHECK(disk.wait_ns(kIdle) == 37 * kMillisecondNs);
    disk.own_read();
  }
}

TEST_CASE("a job that gives way gets a turn now and then however busy the disk is", "[idle][nice]") {
  Disk disk;
  std::uint64_t last_go_ns = disk.now_ns;
  for (int i = 0; i < 1000; ++i) disk.others_read(kWindowBytes);
  for (const Policy* policy : {&kIdle, &kNice}) {
    CHECK(disk.wait_ns(*policy, 4'096, last_go_ns) == 0);
    CHECK(disk.wait_ns(*policy, UINT64_C(1) << 40) <= 500 * kMillisecondNs);
  }
}

TEST_CASE("a least rate brings the turns nearer", "[idle][nice]") {
  Disk disk;
  disk.grant.rate_min_bytes_per_s = 10 * kWindowBytes;
  for (int i = 0; i < 100; ++i) disk.others_read(kWindowBytes);
  for (int i = 0; i < 30; ++i) disk.others_read(kWindowBytes);
  CHECK(turn_after_ns(disk.grant, disk.activity, kWindowBytes) == kSecondNs / 10);
  CHECK(disk.wait_ns(kNice) <= kSecondNs / 10);
  CHECK(turn_after_ns(disk.grant, disk.activity, 100 * kWindowBytes) == kTurnNs);
}

TEST_CASE("nice is at its floor after a few looks at a busy disk and at full speed after a quiet second",
          "[nice]") {
  Disk disk;
  CHECK(disk.wait_ns(kNice) == 0);
  for (int i = 0; i < 12; ++i) disk.others_read();
  CHECK(disk.wait_ns(kNice) > kTurnNs / 2);
  std::uint64_t before_ns = disk.wait_ns(kNice);
  for (int i = 0; i < 10; ++i) {
    disk.quiet(50 * kMillisecondNs);
    CHECK(disk.wait_ns(kNice) <= before_ns);
    before_ns = disk.wait_ns(kNice);
  }
  disk.quiet(kSecondNs);
  CHECK(disk.wait_ns(kNice, UINT64_C(1) << 30) == 0);
}

TEST_CASE("a request of others now and then slows nice down without stopping it", "[nice]") {
  Disk disk;
  for (int i = 0; i < 20; ++i) {
    disk.others_read();
    disk.quiet(100 * kMillisecondNs);
  }
  CHECK(disk.wait_ns(kNice) < 50 * kMillisecondNs);
}

TEST_CASE("a rate is spent in portions only while others use the disk", "[lumps]") {
  Disk disk;
  CHECK(lump_ns(1'000'000, disk.activity, disk.now_ns) == 0);
  disk.others_read();
  CHECK(lump_ns(1'000'000, disk.activity, disk.now_ns) == kLumpMaxNs);
  CHECK(lump_ns(10 * kLumpBytes, disk.activity, disk.now_ns) == kSecondNs / 10);
  disk.quiet(kSecondNs);
  CHECK(lump_ns(1'000'000, disk.activity, disk.now_ns) == 0);
}

TEST_CASE("what was saved up for a portion outlasts a pause of the others", "[lumps]") {
  Disk disk;
  CHECK(saved_ns_max(disk.activity, disk.now_ns) == 0);
  disk.others_read();
  disk.quiet(2 * kLumpMemoryNs);
  CHECK(lump_ns(1'000'000, disk.activity, disk.now_ns) == 0);
  CHECK(saved_ns_max(disk.activity, disk.now_ns) == kSavedMaxNs);
  disk.quiet(2 * kSavedMemoryNs);
  CHECK(saved_ns_max(disk.activity, disk.now_ns) == 0);
}

TEST_CASE("nice holds a small operation as long as one that takes the disk the same time", "[nice]") {
  Disk disk;
  for (int i = 0; i < 20; ++i) disk.others_read();
  disk.quiet(70 * kMillisecondNs);  // the pace of nice (giving_way.hpp) has begun to grow
  const std::uint64_t small_ns = disk.wait_ns(kNice, 4'096);
  CHECK(small_ns > 5 * kMillisecondNs);
  CHECK(small_ns == disk.wait_ns(kNice, 128'000));
  CHECK(small_ns < disk.wait_ns(kNice, 512'000));
  CHECK(disk.wait_ns(kNice, 512) <= small_ns / 8);  // a part of a page
  disk.grant.random_read_ns = 100'000;              // a flash disk has no head to move
  disk.look();
  CHECK(disk.wait_ns(kNice, 4'096) < small_ns / 10);
}

TEST_CASE("one look of a job whose calls take long stands for those that there would have been", "[nice]") {
  Disk often;
  Disk seldom;
  for (int i = 0; i < 12; ++i) often.others_read();
  seldom.now_ns += 11 * kLookNs;
  seldom.others_read();
  CHECK(seldom.activity.pace_bytes_per_s == often.activity.pace_bytes_per_s);
  seldom.now_ns += 3600 * kSecondNs;
  seldom.others_read();
  CHECK(seldom.activity.pace_bytes_per_s == kPaceMin);
}
