// SPDX-License-Identifier: MIT
// account_test: bytes that the kernel has charged to a process are charged once and in full, whatever values the segment holds.
//
// How: the segment of the job is plain memory. The test itself makes the reads, without the page cache, so that the kernel charges them to this process.
// Left out: processes that fork and execute (tests/system).
#include "tools/discnice/kernel/account.hpp"

#include <cstdlib>
#include <cstring>
#include <memory>

#include <fcntl.h>
#include <unistd.h>

#include "tests/support/catch.hpp"
#include "toolbox/base/clock.hpp"
#include "tools/discnice/job/job.hpp"
#include "tools/discnice/policy/registry.hpp"
#include "tools/discnice/protocol/lane_account.hpp"
#include "tools/discnice/protocol/segment.hpp"

// lifecycle.cpp normally defines this. It has a constructor that joins jobs, so it cannot be linked here.
void discnice::guest::leave_when_other_user() {}

using namespace discnice;
using namespace discnice::guest;
using protocol::Counter;

namespace {

constexpr std::uint64_t kSecondNs = 1'000'000'000;

class TestJob {
 public:
  TestJob() {
    segment_->options.is_ledger_on = 1;
    Grant grant;
    grant.policy_id = policy::kRateWindowId;
    grant.rate_bytes_per_s = 1'000'000;
    protocol::change_grant(*segment_, grant);
    begin_account(job_, protocol::JoinKind::after_exec);
    settle_own(job_, 1);
    member().owed_until_ns = 0;
    protocol::settle_lanes(*segment_, gray::base::monotonic_ns());
  }
  protocol::Member& member() { return *job_.member; }
  protocol::Segment& segment() { return *segment_; }
  std::uint64_t settle() { return settle_own(job_, 1); }
  Job& job() { return job_; }

  // Whether charged bytes that are not paid yet delay the next call.
  bool owes() { return member().owed_until_ns.load() > gray::base::monotonic_ns(); }

 private:
  std::unique_ptr<protocol::Segment> segment_ = std::make_unique<protocol::Segment>();
  Job job_{segment_.get(), &segment_->members[1], 1, 1, nullptr};
};

}  // namespace

TEST_CASE("a wrong byte in what is pending brings no debt", "[account]") {
  for (const std::uint64_t pending :
       {UINT64_C(0xff) << 56U, UINT64_MAX, UINT64_C(1) << 63U, UINT64_C(1) << 40U}) {
    TestJob test;
    test.member().pending_read_bytes = pending;
    test.member().pending_write_bytes = pending;
    test.settle();
    CHECK_FALSE(test.owes());
  }
}

TEST_CASE("what was booked long ago is not charged again when the job's number of it is lost", "[account]") {
  TestJob test;
  for (const std::uint64_t wrong : {UINT64_C(0), UINT64_MAX, UINT64_C(1) << 50U}) {
    for (auto& counter : test.member().counters.value) counter = wrong;
    test.settle();
    CHECK_FALSE(test.owes());
  }
}

TEST_CASE("an image that was executed believes no number of the one before it that cannot be", "[account]") {
  TestJob test;
  for (const std::uint64_t wrong : {UINT64_MAX, UINT64_C(1) << 50U}) {
    test.member().counters.value[static_cast<unsigned>(Counter::settled_read_bytes)] = wrong;
    begin_account(test.job(), protocol::JoinKind::after_exec);
    test.settle();
    CHECK_FALSE(test.owes());
  }
}

TEST_CASE("a refund that no file can hold is none", "[account]") {
  TestJob test;
  refund(test.job(), UINT64_C(1) << 63U);
  refund(test.job(), UINT64_MAX);
  CHECK_FALSE(test.owes());
  CHECK(test.segment().lane_credits[0].load() == 0);
  refund(test.job(), 5'000'000);
  CHECK(test.segment().lane_credits[0].load() != 0);
}

TEST_CASE("what the process did read beyond the predictions is owed in full", "[account]") {
  char name[] = "/var/tmp/account_test.XXXXXX";
  const int fd = mkostemp(name, O_CLOEXEC);
  REQUIRE(fd >= 0);
  unlink(name);
  constexpr std::size_t kBytes = std::size_t{1} << 21U;
  void* buffer = std::aligned_alloc(4096, kBytes);
  std::memset(buffer, 1, kBytes);
  const bool is_written = write(fd, buffer, kBytes) == static_cast<ssize_t>(kBytes) && fsync(fd) == 0;
  TestJob test;
  const bool is_direct =
      fcntl(fd, F_SETFL, O_DIRECT) == 0 && pread(fd, buffer, kBytes, 0) == static_cast<ssize_t>(kBytes);
  const std::uint64_t booked = test.settle();
  std::free(buffer);
  close(fd);
  if (!is_written || !is_direct || booked < kBytes) {
    WARN("this file system keeps no account of direct reads: not shown");
    return;
  }
  CHECK(test.member().owed_until_ns.load() > gray::base::monotonic_ns() + kSecondNs);
  CHECK(protocol::get(test.member(), Counter::settled_read_bytes) >= kBytes);
}
