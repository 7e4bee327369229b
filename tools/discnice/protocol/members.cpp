// SPDX-License-Identifier: MIT
#include "tools/discnice/protocol/members.hpp"

#include <cerrno>
#include <utility>

#include <sys/syscall.h>

#include "toolbox/base/raw_sys.hpp"
#include "tools/discnice/protocol/reserve.hpp"

// Only the launcher calls these functions, so they lie apart from the code that runs when a program starts (preload/process/start_order.ld).
#define DISCNICE_LAUNCHERS __attribute__((section("seldom_text")))

namespace discnice::protocol {
namespace {

// How far from its first place a process looks for a slot. It is bounded, because the search runs in every exec of a job.
constexpr std::uint32_t kLookMax = 64;
constexpr std::uint32_t kSharedSlot = 0;  // on the page that every job has
constexpr std::uint32_t kFrontPlaces = kMembersInFront - 1;
constexpr std::uint32_t kFarPlaces = kMemberMax - kMembersInFront - kMembersAtOnce;
constexpr std::uint32_t kSharedSlotPid = UINT32_MAX;  // no process has this pid
constexpr std::uint32_t kChangingPid =
    kSharedSlotPid - 1;  // no process has this pid either: the slot is between two holders
constexpr std::uint32_t kPidMax = 1U << 22U;  // PID_MAX_LIMIT of the kernel's threads.h

bool is_process(std::uint32_t pid) {
  return pid != 0 && pid != kSharedSlotPid && pid != kChangingPid;
}

// When few processes run at once, all get a slot on the first page or on the next page, which every process has mapped in any case. Each further
// page would be memory that was not touched before.
std::uint32_t place(std::uint32_t pid, std::uint32_t step) {
  if (step < kFrontPlaces) return kSharedSlot + 1 + (pid + step) % kFrontPlaces;
  if (step < kFrontPlaces + kMembersAtOnce) return kMembersInFront + (pid + step) % kMembersAtOnce;
  return kMembersInFront + kMembersAtOnce + (pid + step) % kFarPlaces;
}

// Slots that share a page and one bit of used_members.
struct Stretch {
  std::uint32_t number;

  static Stretch of(std::uint32_t slot) {
    return {slot < kMembersInFront ? 0 : 1 + (slot - kMembersInFront) / kMembersAtOnce};
  }
  [[nodiscard]] std::uint64_t bit() const { return UINT64_C(1) << number; }
  [[nodiscard]] std::uint32_t first() const { return first_of_page(number); }
  [[nodiscard]] std::uint32_t size() const { return number == 0 ? kMembersInFront : kMembersAtOnce; }
};
static_assert(2 + kFarPlaces / kMembersAtOnce == 64 && kFarPlaces % kMembersAtOnce == 0);

bool is_used(const Segment& segment, std::uint32_t slot) {
  return (segment.used_members.load(std::memory_order_relaxed) & Stretch::of(slot).bit()) != 0;
}

// Makes sure that a slot has memory. Returns false when there is none. The first process that needs a stretch reserves it.
bool prepare(Segment& segment, std::uint32_t slot) {
  if (is_used(segment, slot)) return true;
  const Stretch stretch = Stretch::of(slot);
  const Member* first = segment.members + stretch.first();
  if (stretch.number != 0 && !reserve(segment, first, stretch.size() * sizeof(Member))) return false;
  segment.used_members.fetch_or(stretch.bit(), std::memory_order_relaxed);
  return true;
}

// Whether the holder of a slot is dead, as far as a process of `own_namespace` can tell. A number that no process can have counts as dead, because
// the kernel would take it for a group of processes.
bool is_dead(const Member& member, std::uint32_t pid, std::uint32_t own_namespace) {
  if (pid > kPidMax) return true;
  if (own_namespace == kUnknownPidNamespace ||
      member.pid_namespace.load(std::memory_order_relaxed) != own_namespace)
    return false;
  return gray::base::raw_syscall(SYS_kill, static_cast<long>(pid), 0) == -ESRCH;
}

void fold(Segment& segment, Member& member) {
  member.grace_calls.store(0, std::memory_order_relaxed);
  for (std::uint32_t i = 0; i < kCounterCount; ++i) {
    segment.left.value[i].fetch_add(member.counters.value[i].exchange(0, std::memory_order_relaxed),
                                    std::memory_order_relaxed);
  }
  for (auto* field : {&member.pending_read_bytes, &member.pending_write_bytes, &member.owed_until_ns,
                      &member.settled_at_ns, &member.yielded_until_ns, &member.grace_until_ns,
                      &member.reserved_bytes, &member.awaiting_calls, &member.awaiting_since_ns}) {
    field->store(0, std::memory_order_relaxed);
  }
}

// Uses an exchange, like has_magic() in segment.cpp and for the same reason.
bool is_held_by(Member& member, ProcessId process) {
  std::uint32_t holder = process.pid;
  return member.pid.compare_exchange_strong(holder, process.pid, std::memory_order_acquire) &&
         member.pid_namespace.load(std::memory_order_relaxed) == process.pid_namespace;
}

// The process's number is valid as soon as it is stored, so a process from another namespace stores its namespace first.
bool take(Member& member, std::uint32_t holder, ProcessId process) {
  const bool is_namespace_said =
      member.pid_namespace.load(std::memory_order_relaxed) == process.pid_namespace;
  const std::uint32_t first = is_namespace_said ? process.pid : kChangingPid;
  if (!member.pid.compare_exchange_strong(holder, first, std::memory_order_acq_rel)) return false;
  if (is_namespace_said) return true;
  member.pid_namespace.store(process.pid_namespace, std::memory_order_relaxed);
  member.pid.store(process.pid, std::memory_order_release);  // pairs with is_held_by()
  return true;
}

void free_slot(Member& member) {
  member.pid_namespace.store(kCreatorsPidNamespace, std::memory_order_relaxed);
  member.pid.store(0, std::memory_order_release);
}

// Looks only at slots within the largest distance that any process has needed, because the slots of a whole stretch
// are several pages of memory.
Member* find_own(Segment& segment, ProcessId process) {
  const std::uint32_t farthest = segment.farthest_slot.load(std::memory_order_relaxed);
  for (std::uint32_t step = 0; step <= farthest && step < kLookMax; ++step) {
    const std::uint32_t slot = place(process.pid, step);
    if (is_used(segment, slot) && is_held_by(segment.members[slot], process)) return &segment.members[slot];
  }
  return nullptr;
}

// Subtracts one from the count of members and returns the new count. The count stops at 0: a smaller count would mean damaged shared memory.
std::uint32_t count_gone(Segment& segment) {
  std::uint32_t live = segment.members_live.load(std::memory_order_relaxed);
  while (live != 0 &&
         !segment.members_live.compare_exchange_weak(live, live - 1, std::memory_order_acq_rel)) {
  }
  return live != 0 ? live - 1 : 0;
}

void raise_to(std::atomic<std::uint32_t>& place, std::uint32_t value) {
  std::uint32_t before = place.load(std::memory_order_relaxed);
  while (before < value && !place.compare_exchange_weak(before, value, std::memory_order_relaxed)) {
  }
}

// Takes one of the first `steps` places whose holder (0: none) is gone by `is_gone`.
template <typename IsGone>
Member* claim(Segment& segment, ProcessId process, std::uint32_t steps, IsGone is_gone) {
  for (std::uint32_t step = 0; step < steps && step < kLookMax; ++step) {
    const std::uint32_t slot = place(process.pid, step);
    if (!prepare(segment, slot)) continue;
    Member& member = segment.members[slot];
    const std::uint32_t holder = member.pid.load(std::memory_order_relaxed);
    if (!is_gone(member, holder)) continue;
    if (take(member, holder, process)) {
      if (holder != 0) count_gone(segment);
      fold(segment, member);
      raise_to(segment.farthest_slot, step);
      return &member;
    }
  }
  return nullptr;
}

// Tries free slots first, within the largest distance that any process has needed, because the check whether a holder lives costs a
// system call.
Member* claim(Segment& segment, ProcessId process) {
  const std::uint32_t near = segment.farthest_slot.load(std::memory_order_relaxed) + 1;
  Member* own =
      claim(segment, process, near, [](const Member&, std::uint32_t holder) { return holder == 0; });
  if (own != nullptr) return own;
  return claim(segment, process, kLookMax, [&](const Member& member, std::uint32_t holder) {
    return holder == 0 || (is_process(holder) && is_dead(member, holder, process.pid_namespace));
  });
}

}  // namespace

Member& enter(Segment& segment, ProcessId process, JoinKind kind) {
  Member* own = find_own(segment, process);
  if (own != nullptr && kind == JoinKind::after_exec) {
    add(*own, Counter::images, 1);
    return *own;
  }
  segment.members_total.fetch_add(1, std::memory_order_relaxed);
  if (own != nullptr) {
    fold(segment, *own);
  } else {
    segment.members_live.fetch_add(1, std::memory_order_relaxed);
    own = claim(segment, process);
  }
  if (own == nullptr) {
    own = &segment.members[kSharedSlot];
    prepare(segment, kSharedSlot);
    own->pid.store(kSharedSlotPid, std::memory_order_relaxed);
  }
  add(*own, Counter::images, 1);
  return *own;
}

std::uint32_t leave(Segment& segment, Member& member, std::uint32_t pid) {
  if (member.pid.load(std::memory_order_relaxed) == pid) {
    fold(segment, member);
    free_slot(member);
  }
  return count_gone(segment);
}

void stay_seen(Segment& segment, const Member& member) {
  const auto slot = static_cast<std::uint32_t>(&member - segment.members);
  if (!is_used(segment, slot))
    segment.used_members.fetch_or(Stretch::of(slot).bit(), std::memory_order_relaxed);
}

DISCNICE_LAUNCHERS std::uint64_t total(const Segment& segment, Counter counter) {
  const auto index = static_cast<unsigned>(counter);
  std::uint64_t sum = segment.left.value[index].load(std::memory_order_relaxed);
  for_each_member(segment, [&](const Member& member) {
    sum += member.counters.value[index].load(std::memory_order_relaxed);
  });
  return sum;
}

DISCNICE_LAUNCHERS Totals totals(const Segment& segment) {
  Totals sums;
  const auto take = [&sums](const Counters& counters) {
    for (std::uint32_t i = 0; i < kCounterCount; ++i)
      sums.value[i] += counters.value[i].load(std::memory_order_relaxed);
  };
  take(segment.left);
  for_each_member(segment, [&](const Member& member) { take(member.counters); });
  return sums;
}

DISCNICE_LAUNCHERS const Member* find_member(const Segment& segment, ProcessId process) {
  const std::uint32_t farthest = segment.farthest_slot.load(std::memory_order_relaxed);
  for (std::uint32_t step = 0; step <= farthest && step < kLookMax; ++step) {
    const std::uint32_t slot = place(process.pid, step);
    if (!is_used(segment, slot)) continue;
    const Member& member = segment.members[slot];
    if (member.pid.load(std::memory_order_relaxed) == process.pid &&
        member.pid_namespace.load(std::memory_order_relaxed) == process.pid_namespace)
      return &member;
  }
  return nullptr;
}

DISCNICE_LAUNCHERS Member* find_member(Segment& segment, ProcessId process) {
  return const_cast<Member*>(find_member(std::as_const(segment), process));
}

bool has_shared_slot(const Segment& segment) {
  return segment.members[kSharedSlot].pid.load(std::memory_order_relaxed) == kSharedSlotPid;
}

bool is_shared_slot(const Segment& segment, const Member& member) {
  return &member == &segment.members[kSharedSlot];
}

std::uint32_t count_alive(const Segment& segment, std::uint32_t own_namespace) {
  std::uint32_t alive = 0;
  for_each_member(segment, [&](const Member& member) {
    const std::uint32_t pid = member.pid.load(std::memory_order_relaxed);
    if (is_process(pid) && !is_dead(member, pid, own_namespace)) ++alive;
  });
  return alive;
}

bool is_deserted(const Segment& segment, std::uint32_t members_left) {
  return !(has_shared_slot(segment) && members_left != 0) && count_alive(segment) == 0;
}

DISCNICE_LAUNCHERS std::uint64_t reserved_bytes(const Segment& segment) {
  std::uint64_t sum = 0;
  for_each_member(segment, [&](const Member& member) {
    if (member.pid.load(std::memory_order_relaxed) != 0)
      sum += member.reserved_bytes.load(std::memory_order_relaxed);
  });
  return sum;
}

DISCNICE_LAUNCHERS std::uint64_t take_reservations_of_dead(Segment& segment, std::uint32_t own_namespace) {
  std::uint64_t sum = 0;
  for_each_member(segment, [&](Member& member) {
    const std::uint32_t pid = member.pid.load(std::memory_order_relaxed);
    if (!is_process(pid) || member.reserved_bytes.load(std::memory_order_relaxed) == 0) return;
    if (is_dead(member, pid, own_namespace))
      sum += member.reserved_bytes.exchange(0, std::memory_order_relaxed);
  });
  return sum;
}

DISCNICE_LAUNCHERS std::uint64_t release_gone(Segment& segment,
                                              bool (*is_gone)(const void* context, ProcessId process),
                                              const void* context) {
  std::uint64_t reserved_bytes = 0;
  for_each_member(segment, [&](Member& member) {
    std::uint32_t pid = member.pid.load(std::memory_order_acquire);
    const ProcessId process{pid, member.pid_namespace.load(std::memory_order_relaxed)};
    if (!is_process(pid) || !is_gone(context, process) ||
        !member.pid.compare_exchange_strong(pid, kChangingPid, std::memory_order_acq_rel))
      return;
    reserved_bytes += member.reserved_bytes.load(std::memory_order_relaxed);
    fold(segment, member);
    free_slot(member);
    count_gone(segment);
  });
  return reserved_bytes;
}

DISCNICE_LAUNCHERS bool has_members_elsewhere(const Segment& segment, std::uint32_t own_namespace) {
  bool has_any = false;
  for_each_member(segment, [&](const Member& member) {
    has_any |= is_process(member.pid.load(std::memory_order_relaxed)) &&
               member.pid_namespace.load(std::memory_order_relaxed) != own_namespace;
  });
  return has_any;
}

}  // namespace discnice::protocol
