// SPDX-License-Identifier: MIT
#include "libgray/src/memory/claims.hpp"

#include <algorithm>
#include <string>

namespace gray::memory {
namespace {

constexpr std::uint64_t kMagic = 0x316d69616c636267U;  // "gbclaim1"
constexpr std::uint32_t kVersion = 1;
constexpr std::uint64_t kSaneBytesMax = std::uint64_t{1} << 56U;  // more than any machine has
// The lock is held for as long as it takes to read a few files; who keeps it longer has been stopped.
constexpr std::uint64_t kLockTimeoutNs = 2'000'000'000;

bool makes_sense(const Claim& claim) {
  const bool is_state_known = claim.state >= static_cast<std::uint32_t>(ClaimState::waiting) &&
                              claim.state <= static_cast<std::uint32_t>(ClaimState::promised);
  return is_state_known && claim.pool_count <= kClaimPoolsMax && claim.held_bytes <= kSaneBytesMax &&
         claim.pending_bytes <= kSaneBytesMax && claim.min_bytes <= claim.max_bytes && claim.pid != 0;
}

bool is_alive(const Claim& claim) {
  const auto start = os::process_start(claim.pid);
  return start && start.value() == claim.process_start;
}

bool is_state(const Claim& claim, ClaimState state) {
  return claim.state == static_cast<std::uint32_t>(state);
}

bool wants_more(const Claim& claim) {
  return is_state(claim, ClaimState::waiting) || is_state(claim, ClaimState::asking);
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
  Allowance least{me.max_bytes, 1, 0, 0};
  for (const Pool& pool : pools) {
    std::int64_t bytes = pool.room_bytes + static_cast<std::int64_t>(me.held_bytes);
    std::uint64_t granted_bytes = 0;
    std::vector<Asker> askers{{me.ticket, me.min_bytes, me.max_bytes}};
    for (const Claim& other : others) {
      if (!draws_on(other, pool.id)) continue;
      if (is_state(other, ClaimState::promised)) bytes -= static_cast<std::int64_t>(other.pending_bytes);
      if (is_state(other, ClaimState::held)) granted_bytes += other.held_bytes;
      if (!wants_more(other)) continue;
      bytes += static_cast<std::int64_t>(other.held_bytes);
      askers.push_back({other.ticket, other.min_bytes, other.max_bytes});
    }
    const auto count = static_cast<std::uint32_t>(askers.size());
    const std::uint64_t share = bytes <= 0 ? 0 : fair_share(static_cast<std::uint64_t>(bytes), askers, 0);
    if (share < least.bytes) least = {share, count, 0, granted_bytes};
    if (share < me.max_bytes) least.askers = std::max(least.askers, count);
  }
  return least;
}

Claims::Claims(const char* name) {
  std::size_t count = 0;
  for (const bool is_for_all : {true, false}) {
    const auto opened = os::open_shared(name, sizeof(ClaimTable), is_for_all);
    if (opened) tables_[count++] = opened.value();
  }
}

// Also checks the table, and makes it if it is new or makes no sense. False: go on without.
bool Claims::lock() {
  if (!is_shared() || os::lock_shared(tables_[0], kLockTimeoutNs) != 0) return false;
  if (table(0)->magic == kMagic && table(0)->version != kVersion) {
    unlock();
    return false;
  }
  if (table(0)->magic != kMagic) make_table(*table(0));
  return true;
}

void Claims::unlock() {
  os::unlock_shared(tables_[0]);
}

// The claim of that number if it is this process's: a child of the one that entered it may not touch it.
Claim* Claims::own(int claim) const {
  if (claim < 0 || claim >= static_cast<int>(kClaimsMax)) return nullptr;
  Claim& entry = table(0)->claims[claim];
  return entry.pid == os::process_id() && makes_sense(entry) ? &entry : nullptr;
}

int Claims::enter(ClaimState state, std::uint64_t min_bytes, std::uint64_t max_bytes,
                  const std::vector<std::uint64_t>& pool_ids) {
  const std::lock_guard<std::mutex> guard(mutex_);
  if (!lock()) return -1;
  int number = -1;
  for (std::size_t i = 0; i < kClaimsMax && number < 0; ++i) {
    Claim& entry = table(0)->claims[i];
    if (makes_sense(entry) && is_alive(entry)) continue;
    entry = Claim{};
    entry.state = static_cast<std::uint32_t>(state);
    entry.pid = os::process_id();
    entry.process_start = os::process_start(entry.pid).value_or(0);
    entry.ticket = table(0)->next_ticket++;
    entry.min_bytes = min_bytes;
    entry.max_bytes = std::min(max_bytes, kSaneBytesMax);
    entry.pool_count = std::min(pool_ids.size(), kClaimPoolsMax);
    std::copy_n(pool_ids.begin(), entry.pool_count, entry.pools);
    number = static_cast<int>(i);
  }
  unlock();
  return number;
}

std::vector<Claim> Claims::living() const {
  std::vector<Claim> claims;
  for (std::size_t t = 0; t < 2 && tables_[t].address != nullptr; ++t) {
    if (table(t)->magic != kMagic || table(t)->version != kVersion) continue;
    for (Claim& entry : table(t)->claims) {
      const Claim copy = entry;
      if (is_state(copy, ClaimState::free)) continue;
      if (makes_sense(copy) && is_alive(copy)) {
        claims.push_back(copy);
      } else if (t == 0) {
        entry = Claim{};
      }
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
  if (is_shared()) allowance.generation = table(0)->generation;
  return allowance;
}

// Only under the lock.
void Claims::announce() {
  ++table(0)->generation;
  os::wake_all(&table(0)->generation);
}

void Claims::change(int claim, ClaimState state, std::uint64_t held_bytes, std::uint64_t pending_bytes) {
  if (claim < 0) return;
  const std::lock_guard<std::mutex> guard(mutex_);
  if (!lock()) return;
  if (Claim* entry = own(claim)) {
    entry->state = static_cast<std::uint32_t>(state);
    entry->held_bytes = held_bytes;
    entry->pending_bytes = pending_bytes;
    announce();
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
  os::wait_while(is_shared() ? &table(0)->generation : &alone, generation, timeout_ns);
}

}  // namespace gray::memory
