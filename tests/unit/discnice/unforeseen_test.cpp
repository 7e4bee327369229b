// SPDX-License-Identifier: MIT
// unforeseen_test: page faults of a process that makes no calls are charged while they happen. The bytes of its calls are never charged in this way.
//
// How: the test writes the fields of a member, and gives growths of an account. Left out: the pacer that stops the process
// (system/discnice_pace_test.sh).
#include "tools/discnice/pace/unforeseen.hpp"

#include "tests/support/catch.hpp"

#include "tools/discnice/protocol/members.hpp"
#include "tools/discnice/protocol/segment.hpp"

namespace discnice::pace {
namespace {

constexpr std::int64_t kMib = 1 << 20;
constexpr std::uint64_t kMs = 1'000'000;

struct Watched {
  protocol::Segment& segment =
      *protocol::make_private("test", Grant{}, protocol::JobOptions{1, 0, 0}).value();
  protocol::Member& member = segment.members[0];
  Unforeseen unforeseen;
  processes::PageFaults faults;
  unsigned questions = 0;

  ~Watched() { protocol::unmap(&segment); }
  /// The member settles. The pacer then reads its account twice, so that its page faults are known.
  void settle(std::uint64_t at_ms) {
    member.settled_at_ns = at_ms * kMs;
    call(0, at_ms + 1);
    call(kMib, at_ms + 9);
    call(kMib, at_ms + 9);
    member.pending_read_bytes = 0;
    member.settled_at_ns = (at_ms + 10) * kMs;
    call(0, at_ms + 10);
  }
  /// fault(): the account has grown by page faults. call(): it has grown by something else.
  Growth fault(std::int64_t read_bytes, std::uint64_t at_ms) {
    ++faults.own;
    return call(read_bytes, at_ms);
  }
  Growth call(std::int64_t read_bytes, std::uint64_t at_ms) {
    return unforeseen.take(member, {read_bytes, 0, 0}, at_ms * kMs, [this] {
      ++questions;
      return std::optional(faults);
    });
  }
};

}  // namespace

TEST_CASE("page faults are charged once the process has been silent for some ticks", "[unforeseen]") {
  Watched process;
  process.settle(100);
  CHECK_FALSE(process.fault(1 * kMib, 114).is_any());
  CHECK_FALSE(process.fault(1 * kMib, 119).is_any());  // the first reading of its page faults
  CHECK(process.fault(1 * kMib, 120).read_bytes == 3 * kMib);
  CHECK(process.fault(3 * kMib, 121).read_bytes == 3 * kMib);
  CHECK_FALSE(process.call(0, 130).is_any());
}

TEST_CASE("what may be a call that the disk takes long for is charged when no call would last so long",
          "[unforeseen]") {
  Watched process;
  process.settle(100);
  CHECK_FALSE(process.call(1 * kMib, 120).is_any());
  CHECK_FALSE(process.call(1 * kMib, 209).is_any());
  CHECK(process.call(1 * kMib, 211).read_bytes == 3 * kMib);
}

TEST_CASE("page faults of the time before the last settlement make no call a page fault", "[unforeseen]") {
  Watched process;
  process.settle(100);
  process.fault(1 * kMib, 119);
  CHECK(process.fault(1 * kMib, 120).is_any());
  process.settle(130);
  CHECK_FALSE(process.call(1 * kMib, 150).is_any());
  CHECK_FALSE(process.call(1 * kMib, 153).is_any());
}

TEST_CASE("what a child had moved its parent has not, also when the account shows it a look later",
          "[unforeseen]") {
  Watched process;
  process.settle(100);
  process.fault(1 * kMib, 119);
  process.faults.of_ended_children += 100;
  CHECK_FALSE(process.fault(20 * kMib, 120).is_any());
  CHECK_FALSE(process.fault(20 * kMib, 121).is_any());
  CHECK(process.fault(1 * kMib, 122).read_bytes == 1 * kMib);
}

TEST_CASE("what was charged counts as foreseen, so that the library does not charge for it again",
          "[unforeseen]") {
  Watched process;
  process.settle(100);
  process.fault(1 * kMib, 119);
  process.fault(3 * kMib, 120);
  CHECK(process.member.pending_read_bytes == 4 * kMib);
}

TEST_CASE("what a call has foreseen is the library's concern, however long the call lasts", "[unforeseen]") {
  Watched process;
  process.settle(100);
  process.member.pending_read_bytes = 4 * kMib;
  CHECK_FALSE(process.fault(2 * kMib, 150).is_any());
  CHECK_FALSE(process.fault(2 * kMib, 220).is_any());
  CHECK(process.fault(1 * kMib, 250).read_bytes == 1 * kMib);
}

TEST_CASE("what was settled in the tick of the settlement before it is charged no second time",
          "[unforeseen]") {
  Watched process;
  process.settle(100);
  CHECK_FALSE(process.fault(2 * kMib, 111).is_any());
  // The time of settling does not change.
  protocol::add(process.member, protocol::Counter::settled_read_bytes, 2 * kMib);
  CHECK_FALSE(process.fault(0, 112).is_any());
  CHECK_FALSE(process.fault(0, 150).is_any());
  CHECK_FALSE(process.call(0, 230).is_any());
  process.fault(0, 231);
  CHECK(process.fault(3 * kMib, 232).read_bytes == 3 * kMib);
}

TEST_CASE("what is settled while the page faults are read is not charged", "[unforeseen]") {
  Watched process;
  process.settle(100);
  process.fault(1 * kMib, 119);
  const Growth found = process.unforeseen.take(process.member, {kMib, 0, 0}, 120 * kMs, [&] {
    protocol::add(process.member, protocol::Counter::settled_read_bytes, 2 * kMib);
    ++process.faults.own;
    return std::optional(process.faults);
  });
  CHECK_FALSE(found.is_any());
}

TEST_CASE("who settles all the time is never charged from outside, nor looked at more closely",
          "[unforeseen]") {
  Watched process;
  for (std::uint64_t at_ms = 100; at_ms < 1000; at_ms += 4) {
    process.member.settled_at_ns = at_ms * kMs;
    CHECK_FALSE(process.fault(1 * kMib, at_ms + 1).is_any());
    CHECK_FALSE(process.fault(1 * kMib, at_ms + 3).is_any());
  }
  CHECK(process.questions <= 1);
}

TEST_CASE("a process whose page faults are not told is not charged", "[unforeseen]") {
  Watched process;
  process.settle(100);
  for (std::uint64_t at_ms = 120; at_ms < 400; at_ms += 20) {
    const Growth found = process.unforeseen.take(process.member, {kMib, 0, 0}, at_ms * kMs,
                                                 [] { return std::optional<processes::PageFaults>(); });
    CHECK_FALSE(found.is_any());
  }
}

TEST_CASE("whatever stands in the member's words, no more is charged than has grown, and that once",
          "[unforeseen]") {
  for (const std::uint64_t word : {UINT64_C(0), UINT64_C(1) << 62U, UINT64_C(1) << 63U, UINT64_MAX}) {
    Watched process;
    process.settle(100);
    process.fault(0, 119);
    std::int64_t sum = 0;
    for (std::uint64_t at_ms = 120; at_ms < 210; at_ms += 10) {
      process.member.pending_read_bytes = word;
      sum += process.fault(kMib, at_ms).read_bytes;
    }
    CHECK(sum == (word == 0 ? 9 * kMib : 0));
  }
}

TEST_CASE("little is charged with what comes next", "[unforeseen]") {
  Watched process;
  process.settle(100);
  process.fault(kMib, 119);
  process.fault(kMib, 120);
  CHECK_FALSE(process.fault(32 * 1024, 150).is_any());
  CHECK(process.fault(32 * 1024, 151).read_bytes == 64 * 1024);
}

}  // namespace discnice::pace
