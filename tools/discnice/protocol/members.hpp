// SPDX-License-Identifier: MIT
// members: the processes of a job, each with a slot of counters in the segment.
//
// A slot is claimed by compare-and-swap on its pid, and found again by pid and namespace after exec. A member that was killed is noticed by the next
// process of its namespace that wants its slot, or by the launcher.
// The counts of a killed member are not lost.
#pragma once

#include <cstdint>

#include "tools/discnice/protocol/layout.hpp"
#include "tools/discnice/protocol/pid_namespace.hpp"

namespace discnice::protocol {

/// The first page of the segment has room for a few slots, and each further page of slots for a fixed number. Each of these pages has a bit in
/// Segment::used_members.
inline constexpr std::uint32_t kMemberPages = 64;
constexpr std::uint32_t first_of_page(std::uint32_t number) {
  return number == 0 ? 0 : kMembersInFront + (number - 1) * kMembersAtOnce;
}
static_assert(first_of_page(kMemberPages) == kMemberMax);

/// A process as a job knows it. The namespace is needed, because namespaces give out the same numbers.
struct ProcessId {
  std::uint32_t pid;
  std::uint32_t pid_namespace = kCreatorsPidNamespace;
};

enum class JoinKind : std::uint8_t {
  after_exec,  // the process may already have a slot, with the account of its former image
  after_fork,  // a new process: a slot with its pid belongs to a dead process
};

/// Gives the calling process its slot. It never fails: when no slot is free, or there is no memory for a slot, the process shares the first
/// slot. Lock-free and async-signal-safe. Looks at a bounded number of slots.
Member& enter(Segment& segment, ProcessId process, JoinKind kind);

/// Gives the slot back and adds its counters to Segment::left. Returns how many members remain by the count of members.
std::uint32_t leave(Segment& segment, Member& member, std::uint32_t pid);

/// Marks the member's slot as used again, in case damaged memory has cleared this mark. Without the mark the sums over all members would leave this member out.
void stay_seen(Segment& segment, const Member& member);

/// The sum of one counter over all members, present and past.
std::uint64_t total(const Segment& segment, Counter counter);

/// The sums of all counters, from one walk over the members.
struct Totals {
  std::uint64_t value[kCounterCount] = {};
  [[nodiscard]] std::uint64_t of(Counter counter) const { return value[static_cast<unsigned>(counter)]; }
};
Totals totals(const Segment& segment);

/// The slot of that process, or null when the process has no slot of its own.
const Member* find_member(const Segment& segment, ProcessId process);
Member* find_member(Segment& segment, ProcessId process);

/// Whether the slots ever ran out, so that processes share a slot.
bool has_shared_slot(const Segment& segment);

/// Whether this is the slot that processes share.
bool is_shared_slot(const Segment& segment, const Member& member);

/// How many members are alive now (asks the kernel about each pid). `own_namespace` is the caller's. Members of another namespace count as alive.
std::uint32_t count_alive(const Segment& segment, std::uint32_t own_namespace = kCreatorsPidNamespace);

/// Whether no member is left, after leave() returned `members_left`. A killed member has not called leave(), so the kernel is asked about each
/// remaining member. Members that share the first slot cannot be asked about, and count as alive.
bool is_deserted(const Segment& segment, std::uint32_t members_left);

/// Calls `take` with each slot that may ever have been used. The memory of the other slots is not touched.
template <typename AnySegment, typename Take>
void for_each_member(AnySegment& segment, Take take) {
  for (std::uint64_t left = segment.used_members.load(std::memory_order_relaxed); left != 0;
       left &= left - 1) {
    const auto page = static_cast<std::uint32_t>(__builtin_ctzll(left));
    auto* const end = segment.members + first_of_page(page + 1);
    for (auto* member = segment.members + first_of_page(page); member < end; ++member) take(*member);
  }
}

/// The bytes of operations that were charged to members and still wait for their turn.
std::uint64_t reserved_bytes(const Segment& segment);

/// Takes the reservations of members of the caller's namespace that were killed while they waited. Returns their bytes, which the caller gives back
/// to the job's account. Each reservation is returned once.
std::uint64_t take_reservations_of_dead(Segment& segment,
                                        std::uint32_t own_namespace = kCreatorsPidNamespace);

/// Gives back the slots of members that are gone by `is_gone(ProcessId)`. It is for a caller that knows all namespaces. No process of the same number
/// may join meanwhile. Returns the bytes that were reserved for them, as take_reservations_of_dead() does.
std::uint64_t release_gone(Segment& segment, bool (*is_gone)(const void* context, ProcessId process),
                           const void* context);

/// Whether any member's number counts in another namespace than `own_namespace`.
bool has_members_elsewhere(const Segment& segment, std::uint32_t own_namespace);

/// Ends the reservation of a charge that waited. A slot that another process took over meanwhile has no reservation.
inline void give_back_reserved(Member& member, std::uint64_t bytes) {
  std::uint64_t before = member.reserved_bytes.load(std::memory_order_relaxed);
  while (!member.reserved_bytes.compare_exchange_weak(before, before > bytes ? before - bytes : 0,
                                                      std::memory_order_relaxed)) {
  }
}

inline void add(Member& member, Counter counter, std::uint64_t amount) {
  member.counters.value[static_cast<unsigned>(counter)].fetch_add(amount, std::memory_order_relaxed);
}

inline std::uint64_t get(const Member& member, Counter counter) {
  return member.counters.value[static_cast<unsigned>(counter)].load(std::memory_order_relaxed);
}

}  // namespace discnice::protocol
