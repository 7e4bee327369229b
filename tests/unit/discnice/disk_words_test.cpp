// SPDX-License-Identifier: MIT
// disk_words_test: values of a disk in a job's segment are used only if they are possible.
#include "tools/discnice/protocol/disk_words.hpp"

#include <memory>

#include "tests/support/catch.hpp"

using namespace discnice;
using namespace discnice::protocol;

namespace {

constexpr std::uint64_t kNowNs = 5'000'000'000;

}  // namespace

TEST_CASE("what was stored comes back", "[disk_words]") {
  const auto disk = std::make_unique<Disk>();
  DiskActivity activity;
  activity.sampled_at_ns = kNowNs - 5;
  activity.foreground_at_ns = kNowNs - 7;
  activity.preemption_ns = 1000;
  activity.listen_until_ns = kNowNs + 1000;
  activity.sample.read_bytes = 4711;
  store_activity(*disk, activity);
  const DiskActivity loaded = load_activity(*disk, kNowNs);
  CHECK(loaded.sampled_at_ns == activity.sampled_at_ns);
  CHECK(loaded.foreground_at_ns == activity.foreground_at_ns);
  CHECK(loaded.listen_until_ns == activity.listen_until_ns);
  CHECK(loaded.sample.read_bytes == 4711);
}

TEST_CASE("instants that have not come, and silences beyond all measure, are not believed", "[disk_words]") {
  DiskActivity activity;
  activity.sampled_at_ns = kNowNs;
  activity.foreground_at_ns = UINT64_MAX;
  activity.ran_since_ns = kNowNs + 1;
  activity.listened_at_ns = kNowNs + 1;
  activity.listen_until_ns = kNowNs + kSilenceMaxNs + 1;
  activity.preemption_ns = UINT64_MAX;
  activity.random_read_ns = UINT64_MAX;
  const DiskActivity loaded = possible(activity, kNowNs);
  CHECK(loaded.foreground_at_ns == 0);
  CHECK(loaded.ran_since_ns == 0);
  CHECK(loaded.listened_at_ns == 0);
  CHECK(loaded.listen_until_ns == 0);
  CHECK(loaded.preemption_ns == kSilenceMaxNs);
  CHECK(loaded.random_read_ns == kSilenceMaxNs);
  activity.sampled_at_ns = kNowNs + 1;
  CHECK(possible(activity, kNowNs).sampled_at_ns == 0);
}

TEST_CASE("a number that is no way of seeing others is none", "[disk_words]") {
  const auto disk = std::make_unique<Disk>();
  disk->seen_by.store(SeenBy::pressure);
  CHECK(load_seen_by(*disk) == SeenBy::pressure);
  disk->seen_by.store(static_cast<SeenBy>(77));
  CHECK(load_seen_by(*disk) == SeenBy::untested);
}

TEST_CASE("the disk has been quiet since others were seen there, and no longer than the job is there",
          "[disk_words]") {
  const auto segment = std::make_unique<Segment>();
  segment->created_ns = kNowNs - 3000;
  Disk& disk = segment->disks[0];
  CHECK(quiet_ns(*segment, disk, kNowNs) == 3000);
  DiskActivity activity;
  activity.sampled_at_ns = kNowNs;
  activity.foreground_at_ns = kNowNs - 1000;
  store_activity(disk, activity);
  CHECK(quiet_ns(*segment, disk, kNowNs) == 1000);
  segment->created_ns = UINT64_MAX;
  CHECK(quiet_ns(*segment, disk, kNowNs) == 0);
}
