// SPDX-License-Identifier: MIT
// job_balance_test: bytes that the kernel charged and no member has settled are charged once, and are given back when a member settles them later.
//
// How: the test uses a segment in memory, with members and sums of its own.
#include "tools/discnice/pace/job_balance.hpp"

#include <atomic>

#include "tests/support/catch.hpp"

#include "tools/discnice/protocol/members.hpp"
#include "tools/discnice/protocol/segment.hpp"

namespace discnice::pace {
namespace {

using protocol::Counter;

constexpr std::int64_t kMib = 1 << 20;
constexpr std::uint64_t kMs = 1'000'000;
constexpr auto kRuns = JobBalance::When::while_it_runs;

struct Balanced {
  protocol::Segment& segment =
      *protocol::make_private("test", Grant{}, protocol::JobOptions{1, 0, 0}).value();
  protocol::Member& member = protocol::enter(segment, {4711}, protocol::JoinKind::after_exec);
  JobBalance balance{segment};

  ~Balanced() { protocol::unmap(&segment); }
};

}  // namespace

TEST_CASE("what a member settles in time is nobody else's", "[job_balance]") {
  Balanced job;
  CHECK_FALSE(job.balance.settle({4 * kMib, 0, 0}, 1 * kMs, kRuns).is_any());
  protocol::add(job.member, Counter::settled_read_bytes, 4 * kMib);
  for (std::uint64_t at_ms = 10; at_ms < 200; at_ms += 10)
    CHECK_FALSE(job.balance.settle({4 * kMib, 0, 0}, at_ms * kMs, kRuns).is_any());
}

TEST_CASE("what a member has foreseen is on its way", "[job_balance]") {
  Balanced job;
  job.member.pending_write_bytes.store(4 * kMib);
  for (std::uint64_t at_ms = 10; at_ms < 200; at_ms += 10)
    CHECK_FALSE(job.balance.settle({0, 4 * kMib, 0}, at_ms * kMs, kRuns).is_any());
}

TEST_CASE("what nobody settles the job is charged for, once, and gets back when somebody does",
          "[job_balance]") {
  Balanced job;
  std::int64_t charged = 0;
  for (std::uint64_t at_ms = 10; at_ms < 200; at_ms += 10)
    charged += job.balance.settle({4 * kMib, 2 * kMib, kMib}, at_ms * kMs, kRuns).moved_bytes();
  CHECK(charged == 6 * kMib);
  CHECK(protocol::total(job.segment, Counter::settled_read_bytes) == 4 * kMib);
  CHECK(protocol::total(job.segment, Counter::settled_write_bytes) == 2 * kMib);
  protocol::add(job.member, Counter::settled_read_bytes, 3 * kMib);
  charged += job.balance.settle({4 * kMib, 2 * kMib, kMib}, 210 * kMs, kRuns).moved_bytes();
  CHECK(charged == 3 * kMib);
  CHECK(protocol::total(job.segment, Counter::settled_read_bytes) == 4 * kMib);
}

TEST_CASE("a job gets back no more than it was charged here", "[job_balance]") {
  Balanced job;
  // These bytes were settled by a process that the pacer no longer sees.
  protocol::add(job.member, Counter::settled_read_bytes, 8 * kMib);
  for (std::uint64_t at_ms = 10; at_ms < 200; at_ms += 10)
    CHECK_FALSE(job.balance.settle({0, 0, 0}, at_ms * kMs, kRuns).is_any());
}

TEST_CASE("whatever stands in a member's words, no more is charged than all that was moved",
          "[job_balance]") {
  for (const std::uint64_t word : {UINT64_C(1) << 62U, UINT64_C(1) << 63U, UINT64_MAX - kMib}) {
    Balanced job;
    protocol::add(job.member, Counter::settled_read_bytes, word);
    std::int64_t charged = 0;
    for (std::uint64_t at_ms = 10; at_ms < 400; at_ms += 10)
      charged += job.balance.settle({4 * kMib, 0, 0}, at_ms * kMs, kRuns).read_bytes;
    CHECK(charged <= 4 * kMib);
    CHECK(charged >= 0);
  }
}

TEST_CASE("what was settled is not charged again when its counters are written over", "[job_balance]") {
  Balanced job;
  std::atomic<std::uint64_t>& read =
      job.member.counters.value[static_cast<unsigned>(Counter::settled_read_bytes)];
  std::int64_t charged = 0;
  std::int64_t moved = 0;
  for (std::uint64_t at_ms = 10; at_ms < 1000; at_ms += 10) {
    moved += kMib;
    if (at_ms == 500) read.store(0);
    if (at_ms == 700) read.store(UINT64_C(1) << 63U);
    read.fetch_add(kMib);
    charged += job.balance.settle({moved, 0, 0}, at_ms * kMs, kRuns).read_bytes;
  }
  charged += job.balance.settle({moved, 0, 0}, 1000 * kMs, JobBalance::When::at_its_end).read_bytes;
  CHECK(charged <= 4 * kMib);  // the bytes that were settled between the looks before and after
}

TEST_CASE("a single look that finds a sum twice, or nowhere, hides nothing", "[job_balance]") {
  for (const std::uint64_t seen_once : {UINT64_C(8) * kMib, UINT64_C(0)}) {
    Balanced job;
    std::atomic<std::uint64_t>& read =
        job.member.counters.value[static_cast<unsigned>(Counter::settled_read_bytes)];
    std::int64_t charged = 0;
    for (std::uint64_t at_ms = 10; at_ms < 200; at_ms += 10) {
      read.store(at_ms == 40 ? seen_once : UINT64_C(4) * kMib);
      charged += job.balance.settle({8 * kMib, 0, 0}, at_ms * kMs, kRuns).read_bytes;
      if (charged != 0) break;
    }
    CHECK(charged == 4 * kMib);
  }
}

TEST_CASE("what was settled before some went on alone is not theirs", "[job_balance]") {
  Balanced job;
  protocol::add(job.member, Counter::settled_read_bytes, 8 * kMib);
  JobBalance rest(job.segment, JobBalance::Of::rest);
  std::int64_t charged = 0;
  for (std::uint64_t at_ms = 10; at_ms < 200; at_ms += 10)
    charged += rest.settle({4 * kMib, 0, 0}, at_ms * kMs, kRuns).read_bytes;
  CHECK(charged == 4 * kMib);
  CHECK_FALSE(job.balance.settle({4 * kMib, 0, 0}, 300 * kMs, JobBalance::When::at_its_end).is_any());
}

TEST_CASE("at the end nothing is waited for", "[job_balance]") {
  Balanced job;
  CHECK(job.balance.settle({4 * kMib, 0, 0}, kMs, JobBalance::When::at_its_end).moved_bytes() == 4 * kMib);
}

TEST_CASE("where programs are left alone, or the kernel's account is not gone by, nothing is said",
          "[job_balance]") {
  Balanced job;
  SECTION("left alone") {
    job.segment.options.excluded[0][0] = 'x';
  }
  SECTION("not gone by") {
    job.segment.options.is_ledger_on = 0;
  }
  CHECK_FALSE(job.balance.settle({4 * kMib, 0, 0}, kMs, JobBalance::When::at_its_end).is_any());
}

}  // namespace discnice::pace
