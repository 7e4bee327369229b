// SPDX-License-Identifier: MIT
// host_parameters_test: the measured time of a random read reaches the code that watches a disk: the disk's own time where it is known.
//
// How: flags replace records, because both come from a repository. The segment is plain memory. The disk is any block device of this machine that has counters.
// It need not be in use. Left out: the files of the repository (toolbox/repo has its tests).
#include "tools/discnice/cli/host_parameters.hpp"

#include <dirent.h>
#include <sys/sysmacros.h>

#include <cstdio>
#include <memory>

#include "tests/support/catch.hpp"
#include "toolbox/base/clock.hpp"
#include "tools/discnice/kernel/disk_watch.hpp"
#include "tools/discnice/outputs/disk_counters.hpp"
#include "tools/discnice/policy/giving_way.hpp"
#include "tools/discnice/policy/registry.hpp"
#include "tools/discnice/protocol/measured_reads.hpp"
#include "tools/discnice/protocol/segment.hpp"

using namespace discnice;
using namespace discnice::protocol;
using cli::choose_measured_reads;
using cli::MountedDisk;

namespace {

gray::repo::Repository with(const std::vector<const char*>& flags) {
  gray::repo::Repository repository(gray::repo::Places{});
  for (const char* flag : flags) REQUIRE(repository.set_flag(flag).empty());
  return repository;
}

// The value that a job with these measured reads finds for a disk.
std::uint64_t found(const std::vector<MeasuredRead>& reads, std::uint64_t disk) {
  const auto segment = std::make_unique<Segment>();
  unsigned place = 0;
  for (const MeasuredRead& read : reads) publish_measured_read(*segment, place++, read);
  return measured_read_ns(*segment, disk);
}

// A disk of this machine whose counters can be read; 0 if there is none.
std::uint64_t any_disk() {
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(opendir("/sys/dev/block"), closedir);
  while (const dirent* entry = entries ? readdir(entries.get()) : nullptr) {
    unsigned major_number = 0;
    unsigned minor_number = 0;
    if (std::sscanf(entry->d_name, "%u:%u", &major_number, &minor_number) != 2) continue;
    if (const std::uint64_t disk = outputs::counted_disk(makedev(major_number, minor_number))) return disk;
  }
  return 0;
}

}  // namespace

TEST_CASE("a disk's own time goes before the host's, and the longest of its file systems'",
          "[host_parameters]") {
  const auto repository = with({"disk.random_read_ns=5000000", "disk.random_read_ns@uuid:a=90000",
                                "disk.random_read_ns@uuid:b=70000"});
  const auto reads = choose_measured_reads(repository, {{"uuid:a", 11}, {"uuid:b", 11}, {"uuid:c", 12}});
  CHECK(found(reads, 11) == 90'000);
  CHECK(found(reads, 12) == 5'000'000);
  CHECK(found(reads, 13) == 5'000'000);
}

TEST_CASE("where nothing was measured nothing is told: a shipped default is a guess", "[host_parameters]") {
  CHECK(choose_measured_reads(with({}), {{"uuid:a", 11}}).empty());
  const auto reads = choose_measured_reads(with({"disk.random_read_ns@uuid:a=90000"}), {{"uuid:a", 11}});
  CHECK(found(reads, 11) == 90'000);
  CHECK(found(reads, 12) == 0);
}

TEST_CASE("more disks than a job can be told of are left out", "[host_parameters]") {
  const auto repository = with({"disk.random_read_ns=1000000", "disk.random_read_ns@uuid:a=2000000"});
  std::vector<MountedDisk> mounted;
  for (std::uint64_t disk = 1; disk <= 9; ++disk) mounted.push_back({"uuid:a", disk});
  const auto reads = choose_measured_reads(repository, mounted);
  CHECK(reads.size() == kMeasuredReadsMax);
  CHECK(found(reads, 1) == 2'000'000);
  CHECK(found(reads, 9) == 1'000'000);
}

TEST_CASE("words that can be no time are not believed", "[host_parameters]") {
  const auto segment = std::make_unique<Segment>();
  segment->measured_reads[0].store(UINT64_MAX);
  segment->measured_reads[1].store(UINT64_C(11) << 32);
  CHECK(measured_read_ns(*segment, UINT32_MAX) == 0);
  CHECK(measured_read_ns(*segment, 11) == 0);
  publish_measured_read(*segment, 2, {11, 2 * kMeasuredReadMaxNs});
  publish_measured_read(*segment, 2, {UINT64_C(1) << 40, 90'000});
  publish_measured_read(*segment, kMeasuredReadsMax, {11, 90'000});
  CHECK(measured_read_ns(*segment, 11) == 0);
}

TEST_CASE("the rules of read-ahead are told as they were measured, and nothing else is",
          "[host_parameters]") {
  CHECK(cli::measured_readahead_rules(with({})) == kRulesNotMeasured);
  CHECK(cli::measured_readahead_rules(with({"disk.readahead_rules=39"})) == 39);
  CHECK(cli::measured_readahead_rules(with({"disk.readahead_rules=0"})) == 0);
  CHECK(cli::measured_readahead_rules(with({"disk.readahead_rules=64"})) == kRulesNotMeasured);
  CHECK(cli::measured_readahead_rules(with({"disk.readahead_rules=1.5"})) == kRulesNotMeasured);
}

TEST_CASE("of the mounts only those on a block device with counters are disks", "[host_parameters]") {
  CHECK(cli::mounted_disks("").empty());
  CHECK(cli::mounted_disks("22 1 0:20 / /proc rw - proc proc rw\n"
                           "23 1 0:21 / /nowhere\\040at\\040all rw shared:1 - nfs server:/dev/null rw\n"
                           "24 1 0:22 / / rw - ext4 /dev/null rw\n"
                           "25 1 broken\n - -\n")
            .empty());
}

TEST_CASE("a look at a disk takes the time measured of it", "[host_parameters]") {
  const std::uint64_t number = any_disk();
  if (number == 0) {
    WARN("no block device with counters here: nothing looked at");
    return;
  }
  const auto segment = std::make_unique<Segment>();
  const auto member = std::make_unique<Member>();
  guest::Job job{segment.get(), member.get(), 1, 1, nullptr};
  Grant grant;
  grant.policy_id = policy::kIdleId;
  store_grant(*segment, grant);
  Disk& disk = segment->disks[0];
  disk.number.store(number + 1);
  disk.seen_by.store(SeenBy::counters);
  publish_measured_read(*segment, 0, {number, 90'000});
  DiskActivity activity;
  REQUIRE(
      guest::look_at_disk(job, disk, guest::Looking::afresh, grant, gray::base::monotonic_ns(), &activity));
  CHECK(activity.random_read_ns == 90'000);
  CHECK(activity.preemption_ns == policy::kPreemptionMinNs);
}
