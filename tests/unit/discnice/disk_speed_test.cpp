// SPDX-License-Identifier: MIT
// disk_speed_test: the time that a request waits is learned from the counters, and giving way takes as long as is useful on that disk.
//
// How: the requests of a simulated disk take as long as the test says, and the disk is looked at every few milliseconds, as in foreground_test. Left out: real disks
// (bench/beside).
#include "tools/discnice/policy/disk_speed.hpp"

#include "tests/support/catch.hpp"
#include "tools/discnice/policy/floor.hpp"
#include "tools/discnice/policy/foreground.hpp"
#include "tools/discnice/policy/giving_way.hpp"

using namespace discnice;
using namespace discnice::policy;

namespace {

constexpr std::uint64_t kMillisecondNs = 1'000'000;
constexpr std::uint64_t kSecondNs = 1'000'000'000;

struct Disk {
  DiskActivity activity;
  DiskSample sample;
  Grant grant;
  std::uint64_t now_ns = 1000 * kSecondNs;
  std::uint64_t read_us = 0, write_us = 0,
                flush_us = 0;  // in all; the counters show whole milliseconds of it

  Disk() { look(); }
  void look(std::uint64_t later_ns = 3 * kMillisecondNs) {
    now_ns += later_ns;
    sample.read_ms = static_cast<std::uint32_t>(read_us / 1000);
    sample.write_ms = static_cast<std::uint32_t>(write_us / 1000);
    sample.flush_ms = static_cast<std::uint32_t>(flush_us / 1000);
    activity = observe(activity, sample, {}, grant, now_ns);
  }
  void others_read(std::uint64_t took_us, unsigned times = 1) {
    for (unsigned i = 0; i < times; ++i) {
      sample.reads += 1;
      sample.read_bytes += 4096;
      read_us += took_us;
      look();
    }
  }
  void others_write(std::uint64_t took_us, unsigned times) {
    for (unsigned i = 0; i < times; ++i) {
      sample.writes += 1;
      sample.written_bytes += 100'000;
      write_us += took_us;
      look();
    }
  }
  void others_sync(std::uint64_t took_us, std::uint64_t flush_took_us, unsigned times,
                   std::uint64_t every_ns) {
    for (unsigned i = 0; i < times; ++i) {
      others_write(took_us, 1);
      sample.flushes += 1;
      flush_us += flush_took_us;
      look();
      look(every_ns);
    }
  }
  [[nodiscard]] std::uint64_t turn_ns() const { return turn_after_ns(grant, activity, 4096); }
};

}  // namespace

TEST_CASE("a disk of which nothing is known is a mechanical one", "[disk_speed]") {
  const Disk disk;
  CHECK(disk.turn_ns() == kTurnNs);
  CHECK(on_this_disk(disk.activity, kSecondNs) == kSecondNs);
}

TEST_CASE("on flash a turn comes as much sooner as a read takes less", "[disk_speed]") {
  Disk disk;
  disk.others_read(100, 100);
  CHECK(disk.turn_ns() < kTurnNs / 10);
  CHECK(disk.turn_ns() >= kTurnNs / 160);
  disk.others_read(8'000, 20);
  CHECK(disk.turn_ns() > kTurnNs * 9 / 10);
}

TEST_CASE("some seconds of two turns a second are enough to learn of flash", "[disk_speed]") {
  Disk disk;
  for (int i = 0; i < 20; ++i) {
    disk.others_read(100);
    disk.look(disk.turn_ns());
  }
  CHECK(disk.now_ns < 1006 * kSecondNs);
  CHECK(disk.turn_ns() < kTurnNs / 10);
}

TEST_CASE("beside one who calls fsync() often a job on flash has most of the time in between",
          "[disk_speed]") {
  Disk flash;
  flash.others_read(100, 50);
  flash.others_sync(300, 120, 50, 200 * kMillisecondNs);
  CHECK(flash.activity.preemption_ns < 50 * kMillisecondNs);
  Disk mechanical;
  mechanical.others_read(8'000, 50);
  mechanical.others_sync(300, 16'000, 50, 200 * kMillisecondNs);
  CHECK(mechanical.activity.preemption_ns > 250 * kMillisecondNs);
}

TEST_CASE("a mechanical disk whose reads are mostly near is one all the same", "[disk_speed]") {
  Disk disk;
  for (int i = 0; i < 300; ++i) disk.others_read(i % 3 == 0 ? 8'000 : 500);
  CHECK(disk.turn_ns() > kTurnNs / 3);
}

TEST_CASE("a card that reads fast and writes slowly is given way to as its writes need", "[disk_speed]") {
  Disk disk;
  disk.others_read(700, 200);
  CHECK(disk.turn_ns() < kTurnNs / 8);
  disk.others_write(60'000, 3);
  CHECK(disk.turn_ns() == kTurnNs);
  disk.others_write(3'000, 60);  // small requests in between
  CHECK(disk.turn_ns() == kTurnNs);
}

TEST_CASE("what the job has written counts as slow until a write has ended", "[disk_speed]") {
  Disk disk;
  disk.others_read(100, 100);
  disk.activity.own.written_bytes = 4096;
  CHECK(disk.turn_ns() == kTurnNs);
  disk.activity.write_wait_us = 100;
  CHECK(disk.turn_ns() < kTurnNs / 10);
}

TEST_CASE("streams, counters that go back and wrong times lead nowhere", "[disk_speed]") {
  Disk disk;
  for (int i = 0; i < 100; ++i) {
    disk.sample.reads += 1;
    disk.sample.read_bytes += 131'072;
    disk.look();
  }
  CHECK(disk.turn_ns() == kTurnNs);
  disk.sample = {};
  disk.look();
  disk.sample.read_ms = UINT32_MAX;
  disk.sample.reads = 1;
  disk.activity = observe(disk.activity, disk.sample, {}, disk.grant, disk.now_ns + 1);
  CHECK(disk.turn_ns() <= kTurnNs);
  disk.activity.read_wait_us = disk.activity.write_wait_us = UINT32_MAX;
  CHECK(on_this_disk(disk.activity, kSecondNs) == kSecondNs);
}

TEST_CASE("a measured time is where it begins", "[disk_speed]") {
  Disk disk;
  disk.grant.random_read_ns = 100'000;
  disk.others_read(100);
  CHECK(disk.turn_ns() < kTurnNs / 20);
}
