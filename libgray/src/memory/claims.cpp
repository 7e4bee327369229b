// SPDX-License-Identifier: MIT
#include "libgray/src/memory/claims.hpp"

#include <algorithm>
#include <string>

namespace gray::memory {
namespace {

constexpr std::uint64_t kMagic = 0x316d69616c636267U;  // "gbclaim1"
constexpr std::uint32_t kVersion = 1;
constexpr std::uint64_t kSaneBytesMax = std::uint64_t{1} << 56U;  // more than any machine has

bool makes_sense(const Claim& claim) {
  const bool is_state_known = claim.state >= static_cast<std::uint32_t>(ClaimState::waiting) &&
                              claim.state <= static_cast<std::uint32_t>(ClaimState::leaving);
  return is_state_known && claim.pool_count <= kClaimPoolsMax && claim.held_bytes <= kSaneBytesMax &&
         claim.pending_bytes <= kSaneBytesMax && claim.min_bytes <= claim.max_bytes && claim.pid != 0;
}

bool is_state(const Claim& claim, ClaimState state) {
  return claim.state == static_cast<std::uint32_t>(state);
}

bool wants_more(const Claim& claim) {
  return is_state(claim, ClaimState::waiting) || is_state(claim, ClaimState::asking);
}

bool is_alive(const Claim& claim) {
  const auto process = os::look_at_process(claim.pid);
  return process && process.value().start == claim.process_start;
}

bool draws_on(const Claim& claim, std::uint64_t pool_id) {
  const std::uint64_t* end = claim.pools + claim.pool_count;
  return pool_id == kHostPoolId || std::find(claim.pools, end, pool_id) != end;
}

void make_table(ClaimTable& table) {
  table = ClaimTable{};
  table.magic = kMagic;
  table.version = kVersion;
  table.next_ticket = 1;
}

}  // namespace

Allowance divide_pools(const std::vector<Pool>& pools, const std::vector<Claim>& others, const Claim& me) {
  Allowance least{me.max_bytes, 1, 0, 0, false};
  bool is_moving = false;
  for (const Pool& pool : pools) {
    std::int64_t bytes = pool.room_bytes + static_cast<std::int64_t>(me.held_bytes);
    std::uint64_t granted_bytes = 0;
    std::vector<Asker> askers{{me.ticket, me.min_bytes, me.max_bytes}};
    for (const Claim& other : others) {
      if (!draws_on(other, pool.id)) continue;
      if (is_state(other, ClaimState::promised)) bytes -= static_cast<std::int64_t>(other.pending_bytes);
      const bool is_leaving = is_state(other, ClaimState::leaving);
      is_moving = is_moving || is_leaving;
      if (is_leaving || is_state(other, ClaimState::held)) granted_bytes += other.held_bytes;
      if (!wants_more(other)) continue;
      bytes += static_cast<std::int64_t>(other.held_bytes);
      askers.push_back({other.ticket, other.min_bytes, other.max_bytes});
    }
    const auto count = static_cast<std::uint32_t>(askers.size());
    const std::uint64_t share = bytes <= 0 ? 0 : fair_share(static_cast<std::uint64_t>(bytes), askers, 0);
    if (share < least.bytes) least = {share, count, 0, granted_bytes, false};
    if (share < me.max_bytes) least.askers = std::max(least.askers, count);
  }
  least.is_moving = is_moving;
  return least;
}

Claims::Claims(const char* name) {
  std::size_t count = 0;
  for (const bool is_for_all : {true, false}) {
    const auto opened = os::open_shared(name, sizeof(ClaimTable), is_for_all);
    if (opened) tables_[count++] = opened.value();
  }
}

// Also reads the table, and makes it if it is new or makes no sense. False: go on without; it is read all the same.
bool Claims::lock() {
  if (!is_shared()) return false;
  // Who kept it so long has been stopped: only once is that waited for.
  const bool is_locked = os::lock_shared(tables_[0], lock_timeout_ns_) == 0;
  lock_timeout_ns_ = is_locked ? kLockTimeoutNs : 0;
  ClaimTable& table = copies_[0];
  const bool is_read = os::load_shared(tables_[0], &table, sizeof table) == 0;
  if (!is_read) table = ClaimTable{};
  if (!is_read || !is_locked || (table.magic == kMagic && table.version != kVersion)) {
    if (is_locked) os::unlock_shared(tables_[0]);
    return false;
  }
  if (table.magic != kMagic) make_table(table);
  return true;
}

// Also writes the table back. What cannot be written is not known to others, which is all.
void Claims::unlock() {
  os::store_shared(tables_[0], &copies_[0], sizeof copies_[0]);
  os::unlock_shared(tables_[0]);
  if (is_announced_) os::wake_all(tables_[0], &static_cast<ClaimTable*>(tables_[0].address)->generation);
  is_announced_ = false;
}

// The claim of that number if it is this process's: a child of the one that entered it may not touch it.
Claim* Claims::own(int claim) {
  if (claim < 0 || claim >= static_cast<int>(kClaimsMax)) return nullptr;
  Claim& entry = copies_[0].claims[claim];
  return entry.pid == os::process_id() && makes_sense(entry) ? &entry : nullptr;
}

int Claims::enter(ClaimState state, std::uint64_t min_bytes, std::uint64_t max_bytes,
                  const std::vector<std::uint64_t>& pool_ids) {
  const std::lock_guard<std::mutex> guard(mutex_);
  if (!lock()) return -1;
  int number = -1;
  for (std::size_t i = 0; i < kClaimsMax && number < 0; ++i) {
    Claim& entry = copies_[0].claims[i];
    if (makes_sense(entry) && is_alive(entry)) continue;
    entry = Claim{};
    entry.state = static_cast<std::uint32_t>(state);
    entry.pid = os::process_id();
    const auto process = os::look_at_process(entry.pid);
    entry.process_start = process ? process.value().start : 0;
    entry.ticket = copies_[0].next_ticket++;
    entry.min_bytes = min_bytes;
    entry.max_bytes = std::min(max_bytes, kSaneBytesMax);
    entry.pool_count = std::min(pool_ids.size(), kClaimPoolsMax);
    std::copy_n(pool_ids.begin(), entry.pool_count, entry.pools);
    number = static_cast<int>(i);
  }
  unlock();
  return number;
}

// Only under the lock. Those that make no sense, or whose process is gone, are dropped; who is stopped is not waited for.
std::vector<Claim> Claims::living() {
  std::vector<Claim> claims;
  if (tables_[1].address != nullptr && os::load_shared(tables_[1], &copies_[1], sizeof copies_[1]) != 0)
    copies_[1] = ClaimTable{};
  for (ClaimTable& table : copies_) {
    if (table.magic != kMagic || table.version != kVersion) continue;
    for (Claim& entry : table.claims) {
      if (is_state(entry, ClaimState::free)) continue;
      const auto process = os::look_at_process(entry.pid);
      if (!makes_sense(entry) || !process || process.value().start != entry.process_start) {
        entry = Claim{};
        continue;
      }
      claims.push_back(entry);
      if (process.value().is_stopped && wants_more(entry))
        claims.back().state = static_cast<std::uint32_t>(ClaimState::held);
    }
  }
  return claims;
}

Allowance Claims::divide(int claim, std::uint64_t held_bytes, std::uint64_t max_bytes,
                         const std::vector<Pool>& pools) {
  Claim me{};
  me.max_bytes = max_bytes;
  me.held_bytes = held_bytes;
  Claim* entry = claim < 0 ? nullptr : own(claim);
  if (entry != nullptr) {
    entry->held_bytes = held_bytes;
    me = *entry;
  }
  std::vector<Claim> others;
  if (is_shared() && claim >= -1) others = living();
  // Somebody without a claim comes last, but has its place.
  if (entry == nullptr) me.ticket = ~std::uint64_t{0};
  others.erase(std::remove_if(others.begin(), others.end(),
                              [&](const Claim& other) {
                                return entry != nullptr && other.ticket == me.ticket && other.pid == me.pid;
                              }),
               others.end());
  Allowance allowance = divide_pools(pools, others, me);
  allowance.generation = copies_[0].generation;
  return allowance;
}

// Only under the lock.
void Claims::announce() {
  ++copies_[0].generation;
  is_announced_ = true;
}

void Claims::change(int claim, ClaimState state, std::uint64_t held_bytes, std::uint64_t pending_bytes) {
  if (claim < 0) return;
  const std::lock_guard<std::mutex> guard(mutex_);
  if (!lock()) return;
  if (Claim* entry = own(claim)) {
    entry->state = static_cast<std::uint32_t>(state);
    entry->held_bytes = held_bytes;
    entry->pending_bytes = pending_bytes;
    if (state != ClaimState::leaving) announce();  // not yet
  }
  unlock();
}

void Claims::leave(int claim) {
  if (claim < 0) return;
  const std::lock_guard<std::mutex> guard(mutex_);
  if (!lock()) return;
  if (Claim* entry = own(claim)) {
    *entry = Claim{};
    announce();
  }
  unlock();
}

void Claims::wait(std::uint32_t generation, std::uint64_t timeout_ns) {
  std::uint32_t alone = generation;
  auto* table = static_cast<ClaimTable*>(tables_[0].address);
  os::wait_while(table != nullptr ? &table->generation : &alone, generation, timeout_ns);
}

}  // namespace gray::memory
