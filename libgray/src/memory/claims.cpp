// SPDX-License-Identifier: MIT
#include "libgray/src/memory/claims.hpp"

#include <algorithm>
#include <string>

#include "libgray/src/os/memory_os.hpp"

namespace gray::memory {
namespace {

constexpr std::uint64_t kChecksumSeed = 0x336d69616c636267U;  // "gbclaim3"
constexpr std::uint64_t kLockRetryNs = 200'000;

bool is_sane(const Claim& claim) {
  const bool is_state_known = claim.state >= static_cast<std::uint32_t>(ClaimState::waiting) &&
                              claim.state <= static_cast<std::uint32_t>(ClaimState::returnable);
  return is_state_known && claim.checksum == checksum_of(claim);
}

bool is_state(const Claim& claim, ClaimState state) {
  return claim.state == static_cast<std::uint32_t>(state);
}

bool wants_more(const Claim& claim) {
  return is_state(claim, ClaimState::waiting) || is_state(claim, ClaimState::asking);
}

bool has_got(const Claim& claim) {
  return is_state(claim, ClaimState::held) || is_state(claim, ClaimState::returnable);
}

void bound(Claim& claim, std::uint64_t bytes) {
  claim.max_bytes = std::min(claim.max_bytes, bytes);
  for (std::uint64_t* part : {&claim.min_bytes, &claim.held_bytes, &claim.pending_bytes})
    *part = std::min(*part, claim.max_bytes);
  claim.reserve_bytes = std::min(claim.reserve_bytes, bytes);
}

// The number of bytes for which the claim's slot must be held.
std::uint64_t slot_bytes(const Claim& claim) {
  return std::max(claim.max_bytes, claim.reserve_bytes);
}

}  // namespace

std::uint64_t checksum_of(const Claim& claim) {
  const std::uint64_t words[] = {std::uint64_t{claim.state} << 32U | claim.pid,
                                 claim.arrival_ns,
                                 claim.min_bytes,
                                 claim.max_bytes,
                                 claim.held_bytes,
                                 claim.pending_bytes,
                                 claim.reserve_bytes};
  std::uint64_t sum = kChecksumSeed;
  for (const std::uint64_t word : words) {
    sum = (sum ^ word) * 0x9e3779b97f4a7c15U;
    sum ^= sum >> 32U;
  }
  return sum;
}

Allowance divide_pools(const std::vector<Pool>& pools, const std::vector<Member>& others, const Claim& me) {
  Allowance least{me.max_bytes, me.max_bytes, 1, 0, 0, false};
  std::uint64_t now_bytes = me.max_bytes;
  bool is_moving = false;
  for (const Pool& pool : pools) {
    std::int64_t bytes = pool.room_bytes + static_cast<std::int64_t>(me.held_bytes);
    std::int64_t others_bytes = 0;  // held by other askers
    std::uint64_t granted_bytes = 0;
    std::vector<Asker> askers{{me.arrival_ns, me.min_bytes, me.max_bytes}};
    for (const Member& member : others) {
      if (!member.is_ours && !draws_on(member.cgroup_text, pool)) continue;
      Claim other = member.claim;
      bound(other, pool.capacity_bytes);
      if (is_state(other, ClaimState::promised)) bytes -= static_cast<std::int64_t>(other.pending_bytes);
      const bool is_leaving = is_state(other, ClaimState::leaving);
      is_moving = is_moving || is_leaving;
      if (is_leaving || has_got(other)) granted_bytes += other.held_bytes;
      if (!wants_more(other)) continue;
      others_bytes += static_cast<std::int64_t>(other.held_bytes);
      askers.push_back({other.arrival_ns, other.min_bytes, other.max_bytes});
    }
    const auto count = static_cast<std::uint32_t>(askers.size());
    now_bytes = std::min(now_bytes, bytes <= 0 ? 0 : static_cast<std::uint64_t>(bytes));
    bytes += others_bytes;
    const std::uint64_t share = bytes <= 0 ? 0 : fair_share(static_cast<std::uint64_t>(bytes), askers, 0);
    if (share < least.bytes) least = {share, share, count, 0, granted_bytes, false};
    if (share < me.max_bytes) least.askers = std::max(least.askers, count);
  }
  least.now_bytes = std::min(least.bytes, now_bytes);
  least.is_moving = is_moving;
  return least;
}

// Computed in the asker's tightest pool, when the asker's own account shows less free memory than the common account.
std::uint64_t reserve_for(const std::vector<Pool>& own, const std::vector<Pool>& common) {
  // A limit was added or removed between the two readings.
  if (own.empty() || own.size() != common.size()) return 0;
  std::size_t tightest = 0;
  for (std::size_t i = 1; i < own.size(); ++i)
    if (own[i].room_bytes < own[tightest].room_bytes) tightest = i;
  const std::int64_t more_bytes = common[tightest].room_bytes - own[tightest].room_bytes;
  return more_bytes > 0 ? static_cast<std::uint64_t>(more_bytes) : 0;
}

namespace {

// The memory that a waiting process lacks.
struct Lack {
  std::uint64_t arrival_ns;
  std::uint64_t bytes;
  std::uint64_t
      reserve_bytes;  // must be free in addition to these bytes and to the bytes of earlier waiters; one reserve serves all waiters
};

// The sum to be given back: the amount that the accounts show as missing, and the amounts that waiting processes lack. Waiting processes are served in the order of arrival, as
// far as the returnable memory suffices. A later process never passes an earlier one that cannot be served.
std::uint64_t sum_to_return(std::int64_t room_bytes, std::vector<Lack> lacks,
                            std::uint64_t returnable_bytes) {
  std::sort(lacks.begin(), lacks.end(),
            [](const Lack& a, const Lack& b) { return a.arrival_ns < b.arrival_ns; });
  const auto most_bytes = static_cast<std::int64_t>(returnable_bytes);
  std::int64_t sum_bytes = std::clamp<std::int64_t>(-room_bytes, 0, most_bytes);
  std::int64_t granted_bytes = 0;
  for (const Lack& lack : lacks) {
    granted_bytes += static_cast<std::int64_t>(lack.bytes);
    const std::int64_t missing_bytes =
        granted_bytes + static_cast<std::int64_t>(lack.reserve_bytes) - room_bytes;
    if (missing_bytes > most_bytes) break;
    sum_bytes = std::max(sum_bytes, missing_bytes);
  }
  return static_cast<std::uint64_t>(sum_bytes);
}

// The level to which holders shrink when `sum_bytes` are given back: the highest level such that the memory above it is at least that sum.
std::uint64_t level_for(const std::vector<Claim>& holders, std::uint64_t sum_bytes) {
  const auto above = [&](std::uint64_t level) {
    std::uint64_t bytes = 0;
    for (const Claim& holder : holders) {
      const std::uint64_t kept_bytes = std::max(level, holder.min_bytes);
      bytes += holder.held_bytes - std::min(holder.held_bytes, kept_bytes);
    }
    return bytes;
  };
  std::uint64_t low = 0;
  std::uint64_t high = os::kSlotBytesMax;
  while (low < high) {
    const std::uint64_t middle = low + (high - low + 1) / 2;
    if (above(middle) >= sum_bytes)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

}  // namespace

std::uint64_t bytes_to_return(const std::vector<Pool>& pools, const std::vector<Member>& others,
                              const Claim& me) {
  if (!is_state(me, ClaimState::returnable)) return 0;
  std::uint64_t most_bytes = 0;
  for (const Pool& pool : pools) {
    std::int64_t room_bytes = pool.room_bytes;
    std::vector<Claim> holders{me};
    std::vector<Lack> lacks;
    for (const Member& member : others) {
      if (!member.is_ours && !draws_on(member.cgroup_text, pool)) continue;
      Claim other = member.claim;
      bound(other, pool.capacity_bytes);
      if (is_state(other, ClaimState::promised)) room_bytes -= static_cast<std::int64_t>(other.pending_bytes);
      if (is_state(other, ClaimState::leaving)) room_bytes += static_cast<std::int64_t>(other.held_bytes);
      if (is_state(other, ClaimState::returnable)) holders.push_back(other);
      // A process in state `asking` has seen enough free memory for its minimum, and is not counted. Its claim shows with a delay how much memory it has
      // touched. If the process were counted, this memory would be counted twice.
      if (is_state(other, ClaimState::waiting) && other.min_bytes > other.held_bytes)
        lacks.push_back({other.arrival_ns, other.min_bytes - other.held_bytes, other.reserve_bytes});
    }
    std::uint64_t returnable_bytes = 0;
    for (const Claim& holder : holders)
      returnable_bytes += holder.held_bytes - std::min(holder.held_bytes, holder.min_bytes);
    const std::uint64_t sum_bytes = sum_to_return(room_bytes, std::move(lacks), returnable_bytes);
    const std::uint64_t kept_bytes = std::max(level_for(holders, sum_bytes), me.min_bytes);
    if (sum_bytes != 0)
      most_bytes = std::max(most_bytes, me.held_bytes - std::min(me.held_bytes, kept_bytes));
  }
  return most_bytes;
}

Claims::Claims(const char* name) : name_(name) {
  open();
}

// Opens the table again if the program has closed its descriptor, if the process now acts for another user, or if the table could not be opened before.
void Claims::open() {
  if (name_.empty() || (is_shared() && os::load_shared(table_, &copy_, sizeof copy_) == 0)) return;
  os::close_shared(table_);
  own_ = {};
  const auto opened = os::open_shared(name_, sizeof(ClaimTable));
  table_ = opened ? opened.value() : os::SharedMemory{};
}

// Locks the table, which only one process has at a time, and the mutex. The mutex is never held while this process waits for the table. Then reads the table. False: the table
// could not be locked; it is read in any case.
bool Claims::lock(std::unique_lock<std::mutex>& guard, Patience& patience) {
  guard.lock();
  int status = is_shared() ? os::lock_shared(table_) : -ENOENT;
  while (status == -EAGAIN && patience.left_ns > 0) {
    guard.unlock();
    const std::uint64_t start_ns = os::now_ns();
    os::pause_ns(std::min(kLockRetryNs, patience.left_ns));
    patience.left_ns -= std::min(os::now_ns() - start_ns, patience.left_ns);
    guard.lock();
    status = os::lock_shared(table_);
  }
  read_table();
  return status == 0;
}

void Claims::read_table() {
  copy_ = ClaimTable{};
  if (is_shared()) os::load_shared(table_, &copy_, sizeof copy_);
}

void Claims::unlock() {
  os::unlock_shared(table_);
}

// The claim whose number is `claim`, if it belongs to this process. A child may not change the claims of the process that forked it.
Claim* Claims::own(int claim) {
  if (claim < 0 || claim >= static_cast<int>(kClaimsMax)) return nullptr;
  Claim& entry = own_[static_cast<std::size_t>(claim)];
  return entry.pid == os::process_id() && entry.state != 0 ? &entry : nullptr;
}

// If the write fails, other processes do not know of the claim. There is no other harm.
void Claims::write(std::size_t slot) {
  own_[slot].checksum = checksum_of(own_[slot]);
  os::store_shared(table_, offsetof(ClaimTable, claims) + slot * sizeof(Claim), &own_[slot], sizeof(Claim));
}

int Claims::enter(ClaimState state, std::uint64_t min_bytes, std::uint64_t max_bytes) {
  const std::lock_guard<std::mutex> guard(mutex_);
  open();
  if (!is_shared()) return -1;
  const std::uint32_t pid = os::process_id();
  os::load_shared(table_, &copy_, sizeof copy_);
  for (std::size_t slot = 0; slot < kClaimsMax; ++slot) {
    // The kernel lets a process take a slot twice. A second library in this process may have done so.
    const bool is_taken_here = own(static_cast<int>(slot)) != nullptr ||
                               (is_sane(copy_.claims[slot]) && copy_.claims[slot].pid == pid);
    if (is_taken_here || os::hold_slot(table_, slot, max_bytes) != 0) continue;
    Claim& entry = own_[slot];
    entry = Claim{};
    entry.state = static_cast<std::uint32_t>(state);
    entry.pid = pid;
    entry.arrival_ns = os::now_ns();
    entry.max_bytes = std::min(max_bytes, os::kSlotBytesMax);
    entry.min_bytes = std::min(min_bytes, entry.max_bytes);
    write(slot);
    return static_cast<int>(slot);
  }
  return -1;
}

// Whether the well-formed claim of another process counts, and for how many bytes.
bool Claims::read_member(std::size_t slot, Member& member) const {
  Claim& claim = member.claim;
  claim = copy_.claims[slot];
  const os::SlotHolder holder = os::slot_holder(table_, slot);
  if (!holder.is_held) return false;
  bound(claim, holder.bytes);
  claim.arrival_ns = std::min(claim.arrival_ns, os::now_ns());
  if (holder.pid == 0) {  // neither its memory nor its control group is known
    claim.held_bytes = 0;
    return true;
  }
  const auto process = os::look_at_process(holder.pid);
  if (!process || !process.value().is_ours || process.value().own_number != claim.pid) return false;
  claim.held_bytes = std::min(claim.held_bytes, process.value().anonymous_bytes);
  if (process.value().is_stopped && wants_more(claim))  // a stopped process asks for no memory
    claim.state = static_cast<std::uint32_t>(ClaimState::held);
  os::read_text("/proc/" + std::to_string(holder.pid) + "/cgroup", member.cgroup_text);
  return true;
}

std::vector<Member> Claims::others_than(int claim) {
  std::vector<Member> members;
  if (!is_shared()) return members;
  for (std::size_t slot = 0; slot < kClaimsMax; ++slot) {
    if (const Claim* mine = own(static_cast<int>(slot))) {
      if (static_cast<int>(slot) != claim) members.push_back({*mine, true, ""});
    } else if (is_sane(copy_.claims[slot])) {
      Member member;
      if (read_member(slot, member)) members.push_back(std::move(member));
    }
  }
  return members;
}

Allowance Claims::divide(int claim, std::uint64_t held_bytes, std::uint64_t max_bytes,
                         const std::vector<Pool>& pools) {
  Claim me{};
  me.arrival_ns = ~std::uint64_t{0};  // an asker without a claim comes last, but takes part in the division
  me.max_bytes = max_bytes;
  me.held_bytes = held_bytes;
  if (Claim* entry = own(claim)) {
    entry->held_bytes = held_bytes;
    write(static_cast<std::size_t>(claim));
    me = *entry;
  }
  Allowance allowance = divide_pools(pools, others_than(claim), me);
  allowance.generation = copy_.generation;
  return allowance;
}

void Claims::announce() {
  std::uint32_t generation = 0;
  if (os::load_shared(table_, &generation, sizeof generation) != 0) return;
  ++generation;
  os::store_shared(table_, offsetof(ClaimTable, generation), &generation, sizeof generation);
  os::wake_all(table_, table_.address);
}

// A process writes only its own slots, so no lock is needed.
void Claims::set(int claim, ClaimState state, std::uint64_t held_bytes, std::uint64_t pending_bytes) {
  Claim* entry = own(claim);
  if (entry == nullptr) return;
  const bool is_first_promise = state == ClaimState::promised && !is_state(*entry, ClaimState::promised);
  if (state == ClaimState::held || state == ClaimState::returnable) {
    entry->max_bytes = held_bytes;
    entry->reserve_bytes = 0;
  }
  if (is_first_promise) entry->max_bytes = pending_bytes;
  entry->state = static_cast<std::uint32_t>(state);
  entry->held_bytes = held_bytes;
  entry->pending_bytes = pending_bytes;
  bound(*entry, os::kSlotBytesMax);
  os::hold_slot(table_, static_cast<std::size_t>(claim), slot_bytes(*entry));
  write(static_cast<std::size_t>(claim));
}

void Claims::change(int claim, ClaimState state, std::uint64_t held_bytes, std::uint64_t pending_bytes) {
  const std::lock_guard<std::mutex> guard(mutex_);
  set(claim, state, held_bytes, pending_bytes);
  // While it leaves, no memory is free yet.
  if (own(claim) != nullptr && state != ClaimState::leaving) announce();
}

void Claims::ask_back(int claim, std::uint64_t reserve_bytes) {
  const std::lock_guard<std::mutex> guard(mutex_);
  Claim* entry = own(claim);
  if (entry == nullptr) return;
  entry->reserve_bytes = std::min(reserve_bytes, os::kSlotBytesMax);
  os::hold_slot(table_, static_cast<std::size_t>(claim), slot_bytes(*entry));
  write(static_cast<std::size_t>(claim));
  announce();
}

void Claims::leave(int claim) {
  const std::lock_guard<std::mutex> guard(mutex_);
  Claim* entry = own(claim);
  if (entry == nullptr) return;
  *entry = Claim{};
  write(static_cast<std::size_t>(claim));
  os::drop_slot(table_, static_cast<std::size_t>(claim));
  announce();
}

void Claims::wait(std::uint32_t generation, std::uint64_t timeout_ns) {
  std::uint32_t alone = generation;
  std::uint32_t* word = &alone;
  {
    const std::lock_guard<std::mutex> guard(mutex_);
    if (is_shared()) word = table_.address;
  }
  os::wait_while(word, generation, timeout_ns);
}

}  // namespace gray::memory
