// SPDX-License-Identifier: MIT
#include "libgray/src/memory/follower.hpp"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <string>
#include <vector>

#include "libgray/src/memory/account_text.hpp"
#include "libgray/src/os/memory_os.hpp"
#include "toolbox/base/units.hpp"

namespace gray::memory {
namespace {

using base::Result;

// The least change of a promise: each change wakes all waiting processes.
constexpr std::uint64_t kMovedBytesMin = 4 * base::kMiB;

constexpr std::uint64_t kPromisedShare = 4;

std::int64_t bounded_signed(std::uint64_t bytes) {
  return static_cast<std::int64_t>(std::min(bytes, kUnlimited / 2));
}

std::uint64_t since(std::uint64_t now, std::uint64_t before) {
  return now - std::min(now, before);
}

// The bytes that are in memory now. Memory in swap, and memory that was never touched, is not counted.
struct InMemory {
  std::uint64_t heap_bytes;
  std::uint64_t process_bytes;
};

Result<InMemory> look_at_memory(std::uint32_t pid, std::uint64_t heap_bytes) {
  std::string text;
  const std::string who = pid == 0 ? "self" : std::to_string(pid);
  if (os::read_text("/proc/" + who + "/status", text) != 0) return Result<InMemory>::failure(-ESRCH);
  const auto amount = [&](const char* key) { return find_amount(text, key).value_or(0) * base::kKiB; };
  const std::uint64_t process_bytes = amount("RssAnon:") + amount("RssShmem:");
  return InMemory{std::min(since(heap_bytes, amount("VmSwap:")), process_bytes), process_bytes};
}

// A heap size: the present bytes plus the free memory; never below 0.
std::uint64_t with_room(std::uint64_t bytes, std::int64_t room_bytes) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, bounded_signed(bytes) + room_bytes));
}

}  // namespace

Follower::Follower(const Followed& followed)
    : followed_(followed), claims_(kClaimTableName), events_(claims_, accounts_) {
  counters_ = accounts_.paging_counters();
  asked_ns_ = os::now_ns();
}

Follower::~Follower() {
  claims_.leave(claim_);
}

// The free memory less the untouched part of other processes' promises. It is computed here because the claims divide the free memory, and do not tell how much
// memory is missing.
Follower::Room Follower::least_room() {
  const std::vector<Pool> pools = accounts_.shared_pools(followed_.pools);
  if (!is_room_known(pools)) return {std::numeric_limits<std::int64_t>::min(), 0};
  const auto least = std::min_element(
      pools.begin(), pools.end(), [](const Pool& a, const Pool& b) { return a.room_bytes < b.room_bytes; });
  Room room{least->room_bytes, least->margin_bytes};
  if (room.room_bytes <= 0) return room;
  Patience patience;
  const Allowance allowance = claims_.allow(patience, claim_, 0, kUnlimited / 2, [&] { return pools; });
  room.room_bytes = std::min(room.room_bytes, bounded_signed(allowance.bytes));
  return room;
}

void Follower::watch_paging(FollowLook& look, std::uint64_t elapsed_ns) {
  const PagingCounters now = accounts_.paging_counters();
  look.paged_in_bytes = since(now.refaults_anonymous, counters_.refaults_anonymous) * os::memory_page_bytes();
  if (now.has_stall && elapsed_ns != 0)
    look.waiting_share = 1000.0 * static_cast<double>(since(now.stall_us, counters_.stall_us)) /
                         static_cast<double>(elapsed_ns);
  counters_ = now;
}

// The claim's maximum is the most that the heap may ever have. Otherwise the heap's share would be limited to the present promise.
void Follower::promise(std::uint64_t pending_bytes) {
  const std::uint64_t moved_bytes =
      std::max(pending_bytes, promised_bytes_) - std::min(pending_bytes, promised_bytes_);
  if (claim_ >= 0 && moved_bytes < kMovedBytesMin) return;
  if (claim_ < 0) claim_ = claims_.enter(ClaimState::promised, 0, followed_.max_bytes);
  claims_.change(claim_, ClaimState::promised, 0, pending_bytes);
  promised_bytes_ = pending_bytes;
}

Result<FollowAnswer> Follower::ask(const HeapUse& use) {
  events_.forget();  // called before the accounts are read, so that an event from now on is seen afterwards
  const auto in_memory = look_at_memory(followed_.pid, use.heap_bytes);
  if (!in_memory) return Result<FollowAnswer>::failure(in_memory.error());
  const Room room = least_room();
  if (room.room_bytes == std::numeric_limits<std::int64_t>::min())
    return Result<FollowAnswer>::failure(-ENODATA);
  FollowLook look;
  look.now_ns = os::now_ns();
  look.heap_bytes = use.heap_bytes;
  look.live_bytes = std::min(use.live_bytes, use.heap_bytes);
  look.allowed_bytes = with_room(in_memory.value().heap_bytes, room.room_bytes);
  look.reach_bytes = with_room(in_memory.value().process_bytes, room.room_bytes);
  look.margin_bytes = room.margin_bytes;
  look.min_bytes = followed_.min_bytes;
  look.max_bytes = followed_.max_bytes;
  const std::uint64_t elapsed_ns = since(look.now_ns, asked_ns_);
  if (use.is_collecting_known && elapsed_ns != 0)
    look.collecting_share = static_cast<double>(use.collecting_ns) / static_cast<double>(elapsed_ns);
  watch_paging(look, elapsed_ns);
  asked_ns_ = look.now_ns;
  const FollowDecision decision = decide(look, state_);
  state_ = decision.state;
  // Promises only the memory that the heap may take until the next question. A promise of its whole allowance would keep other processes from memory that the heap may never use.
  const std::uint64_t soon_bytes = std::max(use.heap_bytes / kPromisedShare, look.margin_bytes);
  promise(std::min(since(state_.told_bytes, use.heap_bytes), soon_bytes));
  return FollowAnswer{decision.verdict, decision.reason, state_.told_bytes, room.room_bytes};
}

}  // namespace gray::memory
