// SPDX-License-Identifier: MIT
// members_test: processes that start, end and are killed get slots, and none of their counts is lost.
//
// How: the test forks real children where it matters whether they are alive. It uses invented process numbers, above the kernel's
// highest number, where the process only has to be dead. Left out: process numbers that the kernel gives out again between exec
// and enter.
#include "tools/discnice/protocol/members.hpp"

#include <csignal>
#include <set>
#include <vector>

#include <unistd.h>

#include "tests/support/catch.hpp"
#include "tests/unit/discnice/child_process.hpp"
#include "tests/unit/discnice/front_only.hpp"
#include "tools/discnice/protocol/segment.hpp"

using namespace discnice;
using namespace discnice::protocol;
using discnice::test::own_pid;
using discnice::test::start_child;
using discnice::test::wait_for;

namespace {

constexpr std::uint32_t kDeadPid = 5'000'000;  // above the highest number that the kernel gives out
constexpr std::uint32_t kSlots =
    kMemberMax - kMembersInFront;  // two process numbers that differ by this have the same home slot
static_assert(kSlots % (kMembersInFront - 1) == 0);

struct Shared {
  Shared() {
    const auto made = make_private("test", Grant{}, JobOptions{});
    REQUIRE(made.error() == 0);
    segment = made.value();
  }
  ~Shared() { unmap(segment); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;

  Segment* operator->() const { return segment; }
  Segment& operator*() const { return *segment; }

  Segment* segment = nullptr;
};

TEST_CASE("a member that a wrong byte has hidden is seen again when it settles", "[members]") {
  Segment* segment = make_private("test", Grant{}, JobOptions{1, 0, 0}).value();
  enter(*segment, {1001}, JoinKind::after_exec);
  Member& second = enter(*segment, {1002}, JoinKind::after_exec);
  add(second, Counter::settled_read_bytes, 1'000'000);
  const std::uint64_t used = segment->used_members.exchange(0);
  CHECK(total(*segment, Counter::settled_read_bytes) == 0);
  stay_seen(*segment, second);
  CHECK(total(*segment, Counter::settled_read_bytes) == 1'000'000);
  CHECK((segment->used_members.load() & ~used) == 0);
  unmap(segment);
}

}  // namespace

TEST_CASE("a process enters with an empty account and leaves its sums behind", "[members]") {
  const Shared segment;
  Member& member = enter(*segment, {own_pid()}, JoinKind::after_exec);
  CHECK(member.pid.load() == own_pid());
  CHECK(get(member, Counter::images) == 1);
  CHECK(segment->members_live.load() == 1);
  CHECK(segment->members_total.load() == 1);
  CHECK(count_alive(*segment) == 1);
  add(member, Counter::calls, 5);
  CHECK(total(*segment, Counter::calls) == 5);
  CHECK(totals(*segment).of(Counter::calls) == 5);
  CHECK(leave(*segment, member, own_pid()) == 0);
  CHECK(member.pid.load() == 0);
  CHECK(get(member, Counter::calls) == 0);
  CHECK(total(*segment, Counter::calls) == 5);
  CHECK(totals(*segment).of(Counter::calls) == 5);
  CHECK(totals(*segment).of(Counter::images) == 1);
  CHECK(segment->members_total.load() == 1);
  CHECK(count_alive(*segment) == 0);
}

TEST_CASE("sums are taken where members have been, and nowhere else", "[members]") {
  const Shared segment;
  CHECK(segment->used_members.load() == 0);
  Member& member = enter(*segment, {own_pid()}, JoinKind::after_exec);
  const auto place = static_cast<std::uint32_t>(&member - segment->members);
  CHECK(place < kMembersInFront);
  CHECK(segment->used_members.load() == 1);
  Member& elsewhere = segment->members[(place + kMemberMax / 2) % kMemberMax];
  add(elsewhere, Counter::calls, 3);
  CHECK(total(*segment, Counter::calls) == 0);
  CHECK(totals(*segment).of(Counter::calls) == 0);
  leave(*segment, member, own_pid());
  CHECK(total(*segment, Counter::images) == 1);
}

TEST_CASE("a program run by exec keeps the slot, the sums and the debt of the one before", "[members]") {
  const Shared segment;
  Member& before = enter(*segment, {own_pid()}, JoinKind::after_exec);
  add(before, Counter::settled_read_bytes, 4'096);
  before.owed_until_ns.store(123);
  before.pending_read_bytes.store(456);
  Member& after = enter(*segment, {own_pid()}, JoinKind::after_exec);
  CHECK(&after == &before);
  CHECK(get(after, Counter::settled_read_bytes) == 4'096);
  CHECK(after.owed_until_ns.load() == 123);
  CHECK(after.pending_read_bytes.load() == 456);
  CHECK(get(after, Counter::images) == 2);
  CHECK(segment->members_live.load() == 1);
  CHECK(segment->members_total.load() == 1);
}

TEST_CASE("a new process with the number of a dead member takes its slot but not its account", "[members]") {
  const Shared segment;
  Member& dead = enter(*segment, {kDeadPid}, JoinKind::after_exec);
  add(dead, Counter::predicted_read_bytes, 100);
  dead.owed_until_ns.store(123);
  dead.pending_read_bytes.store(1);
  dead.pending_write_bytes.store(2);
  dead.settled_at_ns.store(3);
  dead.yielded_until_ns.store(4);
  Member& fresh = enter(*segment, {kDeadPid}, JoinKind::after_fork);
  CHECK(&fresh == &dead);
  CHECK(get(fresh, Counter::predicted_read_bytes) == 0);
  CHECK(fresh.owed_until_ns.load() == 0);
  CHECK(fresh.pending_read_bytes.load() == 0);
  CHECK(fresh.pending_write_bytes.load() == 0);
  CHECK(fresh.settled_at_ns.load() == 0);
  CHECK(fresh.yielded_until_ns.load() == 0);
  CHECK(total(*segment, Counter::predicted_read_bytes) == 100);
  CHECK(segment->members_live.load() == 1);
  CHECK(segment->members_total.load() == 2);
}

TEST_CASE("a dead member's slot is taken over and what it had counted stays in the sum", "[members]") {
  const Shared segment;
  Member& dead = enter(*segment, {kDeadPid}, JoinKind::after_exec);
  add(dead, Counter::slept_ns, 77);
  const std::uint32_t heir_pid = kDeadPid + kSlots;  // a number with the same home slot
  Member& heir = enter(*segment, {heir_pid}, JoinKind::after_exec);
  CHECK(&heir == &dead);
  CHECK(heir.pid.load() == heir_pid);
  CHECK(get(heir, Counter::slept_ns) == 0);
  CHECK(total(*segment, Counter::slept_ns) == 77);
  CHECK(segment->members_live.load() == 1);
}

TEST_CASE("a living member's slot is not taken by one with the same home place", "[members]") {
  const Shared segment;
  Member& first = enter(*segment, {own_pid()}, JoinKind::after_exec);
  Member& second = enter(*segment, {own_pid() + kSlots}, JoinKind::after_exec);
  CHECK(&first != &second);
  CHECK(first.pid.load() == own_pid());
  CHECK(segment->members_live.load() == 2);
}

TEST_CASE("more living members than places nearby share the first slot, and no count is lost", "[members]") {
  const Shared segment;
  for (std::uint32_t i = 1; i < kMemberMax; ++i) segment->members[i].pid.store(own_pid());
  segment->used_members.store(UINT64_MAX);
  Member& first = enter(*segment, {kDeadPid}, JoinKind::after_fork);
  Member& second = enter(*segment, {kDeadPid + 1}, JoinKind::after_fork);
  CHECK(&first == &segment->members[0]);
  CHECK(&second == &first);
  add(first, Counter::calls, 3);
  add(second, Counter::calls, 4);
  CHECK(leave(*segment, first, kDeadPid) == 1);
  CHECK(total(*segment, Counter::calls) == 7);
  add(second, Counter::calls, 5);
  CHECK(leave(*segment, second, kDeadPid + 1) == 0);
  CHECK(total(*segment, Counter::calls) == 12);
  CHECK(count_alive(*segment) == kMemberMax - 1);
}

TEST_CASE("those whose place is beyond the first page share the first slot when there is no memory",
          "[members]") {
  const discnice::test::FrontOnly front;
  Segment& segment = *front.segment;
  Member& first = enter(segment, {own_pid()}, JoinKind::after_exec);
  Member& second = enter(segment, {own_pid() + kSlots}, JoinKind::after_exec);
  CHECK(&first != &second);
  second.pid.store(own_pid());  // alive
  Member& third = enter(segment, {kDeadPid}, JoinKind::after_exec);
  Member& fourth = enter(segment, {kDeadPid + 1}, JoinKind::after_exec);
  CHECK(&third == &segment.members[0]);
  CHECK(&fourth == &third);
  CHECK(segment.used_members.load() == 1);
  add(third, Counter::calls, 3);
  CHECK(total(segment, Counter::calls) == 3);
}

TEST_CASE("a slot that somebody else holds by now is not given back by its old holder", "[members]") {
  const Shared segment;
  Member& member = enter(*segment, {kDeadPid}, JoinKind::after_exec);
  Member& heir = enter(*segment, {kDeadPid + kSlots}, JoinKind::after_exec);
  REQUIRE(&heir == &member);
  add(heir, Counter::calls, 9);
  leave(*segment, member, kDeadPid);
  CHECK(heir.pid.load() == kDeadPid + kSlots);
  CHECK(get(heir, Counter::calls) == 9);
}

TEST_CASE("a child killed in the middle loses nothing it had counted", "[members]") {
  const Shared segment;
  const pid_t child = start_child([&] {
    add(enter(*segment, {own_pid()}, JoinKind::after_fork), Counter::file_read_bytes, 1'000'000);
    raise(SIGKILL);
    return 0;
  });
  CHECK(wait_for(child) == 128 + SIGKILL);
  CHECK(total(*segment, Counter::file_read_bytes) == 1'000'000);
  CHECK(count_alive(*segment) == 0);
  Member& heir = enter(*segment, {static_cast<std::uint32_t>(child) + kSlots}, JoinKind::after_fork);
  CHECK(heir.pid.load() == static_cast<std::uint32_t>(child) + kSlots);
  CHECK(get(heir, Counter::file_read_bytes) == 0);
  CHECK(total(*segment, Counter::file_read_bytes) == 1'000'000);
  CHECK(segment->members_live.load() == 1);  // the killed process was subtracted when its slot was taken
}

TEST_CASE("who leaves last after others were killed finds nobody there", "[members]") {
  const Shared segment;
  Member& own = enter(*segment, {own_pid()}, JoinKind::after_fork);
  const pid_t child = start_child([&] {
    enter(*segment, {own_pid()}, JoinKind::after_fork);
    raise(SIGKILL);
    return 0;
  });
  CHECK(wait_for(child) == 128 + SIGKILL);
  CHECK_FALSE(is_deserted(*segment, 1));  // this process itself is there
  const std::uint32_t left = leave(*segment, own, own_pid());
  CHECK(left == 1);
  CHECK(is_deserted(*segment, left));
  CHECK(is_deserted(*segment, 0));
}

TEST_CASE("a wrong count of members makes nobody think that it was the last", "[members]") {
  const Shared segment;
  Member& own = enter(*segment, {own_pid()}, JoinKind::after_fork);
  for (const std::uint32_t wrong : {0U, 1U, UINT32_MAX}) {
    segment->members_live.store(wrong);
    enter(*segment, {kDeadPid}, JoinKind::after_fork);
    CHECK_FALSE(is_deserted(*segment, leave(*segment, segment->members[2], kDeadPid)));
  }
  segment->members_live.store(0);
  CHECK(leave(*segment, own, own_pid()) == 0);  // the count does not go below zero
  CHECK(segment->members_live.load() == 0);
  CHECK(is_deserted(*segment, 0));
}

TEST_CASE("a number that no process can have is nobody's, and not a group of processes", "[members]") {
  const Shared segment;
  Member& member = enter(*segment, {own_pid()}, JoinKind::after_fork);
  for (const std::uint32_t wrong : {UINT32_MAX - 1, UINT32_MAX - own_pid(), UINT32_C(1) << 31U}) {
    member.pid.store(wrong);
    CHECK(count_alive(*segment) == 0);
  }
}

TEST_CASE("what a call had reserved is given back once, and not below nothing", "[members]") {
  const Shared segment;
  Member& member = enter(*segment, {own_pid()}, JoinKind::after_fork);
  member.reserved_bytes.store(5);
  give_back_reserved(member, 3);
  CHECK(member.reserved_bytes.load() == 2);
  give_back_reserved(member, 3);  // the slot belonged to another process meanwhile
  CHECK(member.reserved_bytes.load() == 0);
}

TEST_CASE("those who share the first slot are taken to live", "[members]") {
  const Shared segment;
  for (std::uint32_t i = 1; i < kMemberMax; ++i) segment->members[i].pid.store(own_pid());
  segment->used_members.store(UINT64_MAX);
  enter(*segment, {kDeadPid}, JoinKind::after_fork);
  for (std::uint32_t i = 1; i < kMemberMax; ++i) segment->members[i].pid.store(0);
  CHECK(count_alive(*segment) == 0);
  CHECK_FALSE(is_deserted(*segment, 1));
}

TEST_CASE("eight processes that add, leave and come back are summed exactly", "[members]") {
  constexpr std::uint64_t kProcesses = 8;
  constexpr std::uint64_t kRounds = 50;
  constexpr std::uint64_t kAdds = 200;
  const Shared segment;
  std::vector<pid_t> children;
  for (std::uint64_t i = 0; i < kProcesses; ++i) {
    children.push_back(start_child([&] {
      for (std::uint64_t round = 0; round < kRounds; ++round) {
        Member& member = enter(*segment, {own_pid()}, JoinKind::after_fork);
        for (std::uint64_t k = 0; k < kAdds; ++k) {
          add(member, Counter::calls, 1);
          add(member, Counter::slept_ns, k);
        }
        leave(*segment, member, own_pid());
      }
      return 0;
    }));
  }
  for (const pid_t child : children) CHECK(wait_for(child) == 0);
  CHECK(total(*segment, Counter::calls) == kProcesses * kRounds * kAdds);
  CHECK(total(*segment, Counter::slept_ns) == kProcesses * kRounds * kAdds * (kAdds - 1) / 2);
  CHECK(total(*segment, Counter::images) == kProcesses * kRounds);
  CHECK(segment->members_total.load() == kProcesses * kRounds);
  CHECK(segment->members_live.load() == 0);
}

TEST_CASE("processes that enter together get a slot each", "[members]") {
  constexpr int kProcesses = 24;
  const Shared segment;
  std::vector<pid_t> children;
  for (int i = 0; i < kProcesses; ++i) {
    children.push_back(start_child([&] {
      add(enter(*segment, {own_pid()}, JoinKind::after_fork), Counter::calls, 1);
      while (segment->members_total.load() < kProcesses) usleep(100);  // until all are inside at once
      return 0;
    }));
  }
  for (const pid_t child : children) CHECK(wait_for(child) == 0);
  std::set<std::uint32_t> holders;
  for (const Member& member : segment->members) {
    if (member.pid.load() != 0) holders.insert(member.pid.load());
  }
  CHECK(holders.size() == kProcesses);
  CHECK(total(*segment, Counter::calls) == kProcesses);
}

TEST_CASE("what a member that was killed in its sleep had reserved is returned once", "[members]") {
  const Shared segment;
  const pid_t child = start_child([] { return 0; });
  Member& dead = enter(*segment, {static_cast<std::uint32_t>(child)}, JoinKind::after_exec);
  Member& alive = enter(*segment, {own_pid()}, JoinKind::after_exec);
  dead.reserved_bytes.store(700);
  alive.reserved_bytes.store(30);
  REQUIRE(wait_for(child) == 0);
  CHECK(reserved_bytes(*segment) == 730);
  CHECK(take_reservations_of_dead(*segment) == 700);
  CHECK(take_reservations_of_dead(*segment) == 0);
  CHECK(alive.reserved_bytes.load() == 30);
}

TEST_CASE("some few processes at once share two pages, whatever their numbers are", "[members]") {
  const Shared segment;
  constexpr std::uint32_t kAtOnce = kMembersInFront - 1 + kMembersAtOnce;
  std::set<const Member*> slots;
  std::vector<pid_t> children;
  for (std::uint32_t i = 0; i < kAtOnce; ++i) {
    const std::uint32_t far_apart = 1 + i * 31;
    Member& left = enter(*segment, {far_apart}, JoinKind::after_exec);
    leave(*segment, left, far_apart);  // so that the next process may take this slot
    const pid_t child = start_child([] {
      pause();
      return 0;
    });
    slots.insert(&enter(*segment, {static_cast<std::uint32_t>(child)}, JoinKind::after_exec));
    children.push_back(child);
  }
  CHECK(slots.size() == kAtOnce);
  CHECK(segment->used_members.load() == 0b11U);
  for (const pid_t child : children) {
    kill(child, SIGKILL);
    wait_for(child);
  }
}

TEST_CASE(
    "the same number in another namespace is another member, and only its own namespace tells whether it "
    "lives") {
  constexpr std::uint32_t kElsewhere = 4026532189;
  constexpr std::uint32_t kNobodys = 4'190'000;  // a possible process number that no process has
  const Shared segment;
  Member& here = enter(*segment, {kNobodys}, JoinKind::after_exec);
  Member& there = enter(*segment, {kNobodys, kElsewhere}, JoinKind::after_exec);
  CHECK(&here != &there);
  CHECK(&enter(*segment, {kNobodys, kElsewhere}, JoinKind::after_exec) == &there);
  CHECK(count_alive(*segment) == 1);              // from here nobody can tell whether the other process lives
  CHECK(count_alive(*segment, kElsewhere) == 1);  // nor, from there, whether this process lives
  CHECK(has_members_elsewhere(*segment, kCreatorsPidNamespace));
  there.reserved_bytes.store(500);
  CHECK(take_reservations_of_dead(*segment) == 0);
  const auto is_elsewhere = [](const void*, ProcessId process) {
    return process.pid_namespace == kElsewhere;
  };
  CHECK(release_gone(*segment, is_elsewhere, nullptr) == 500);
  CHECK(there.pid.load() == 0);
  CHECK(there.pid_namespace.load() == kCreatorsPidNamespace);
  CHECK(here.pid.load() == kNobodys);
  CHECK_FALSE(has_members_elsewhere(*segment, kCreatorsPidNamespace));
}
