// SPDX-License-Identifier: MIT
#include "libgray/src/memory/allocator.hpp"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <optional>
#include <string_view>

#include "libgray/src/memory/account_text.hpp"
#include "libgray/src/memory/room_events.hpp"
#include "libgray/src/os/memory_os.hpp"
#include "libgray/src/os/shared_os.hpp"

namespace gray::memory {
namespace {

using base::Result;

// A waiting process is woken by processes with claims, by memory pressure, and by an event of the control group that lacks memory, if the kernel offers such an
// event. Other memory that becomes free is only found by checking the accounts again. The pauses between checks are short at first, because pages being written
// to disk are free in a moment, and grow later.
constexpr std::uint64_t kLookAgainFirstNs = 10'000'000;
constexpr std::uint64_t kLookAgainNs = 200'000'000;
// The pause where an event is expected (room_events.hpp). A group's event sometimes comes late or not at all.
constexpr std::uint64_t kLookAgainToldNs = 500'000'000;
// Processes that ask at the same time arrive within a few context switches.
constexpr std::uint64_t kSettlePauseNs = 1'000'000;
constexpr int kSettleRoundsMin = 2;  // rounds without a change
constexpr int kSettleRoundsMax = 6;
// How long this process waits for other asking processes to give back memory that now belongs to its share: each time, and in total. A process that asks with
// other options may compute another division, and may never give it back.
constexpr std::uint64_t kOthersGiveNs = 200'000'000;
constexpr std::uint64_t kOthersGiveMaxNs = 1'000'000'000;
// Touched memory needs more memory: its page tables, and the amount that the kernel charges in advance for each processor.
constexpr std::uint64_t kPageTableShare = 512;
constexpr std::uint64_t kBookedAheadBytes = base::kMiB;
// A larger share of the minimum. It is used when the amount above was not enough.
constexpr std::uint64_t kSlackShareMax = 8;
// A reserve (claims.hpp) that has changed by less than this is not announced again, since each announcement wakes all waiting processes.
constexpr std::uint64_t kReserveNoiseBytes = base::kMiB;

// A growing process takes more memory than the accounts fluctuate by themselves. A process that has lost its processor does not grow during some checks.
constexpr std::uint64_t kGrowthLookNs = 5'000'000;
constexpr std::uint64_t kGrowthNoiseBytes = base::kMiB;
constexpr int kGrowthLooksCalm = 12;
constexpr int kGrowthLooksMax = 200;
// How many checks ahead the growth is extrapolated: a check and giving memory back take time.
constexpr std::uint64_t kGrowthLooksAhead = 4;

struct SignalName {
  const char* name;
  std::uint32_t bit;
};
constexpr SignalName kSignalNames[] = {{"no-accounts", kSignalAccounts},
                                       {"no-faults", kSignalFaults},
                                       {"no-refaults", kSignalRefaults},
                                       {"no-stall", kSignalStall},
                                       {"no-claims", kSignalClaims}};

std::uint64_t least_room(const std::vector<Pool>& pools, std::uint64_t bytes) {
  for (const Pool& pool : pools)
    bytes = std::min(bytes, pool.room_bytes > 0 ? static_cast<std::uint64_t>(pool.room_bytes) : 0);
  return bytes;
}

// The most memory that waiting can give: the capacity of the pools if no process used them.
std::uint64_t least_capacity(const std::vector<Pool>& pools, std::uint64_t bytes) {
  for (const Pool& pool : pools) bytes = std::min(bytes, pool.capacity_bytes);
  return bytes;
}

std::uint64_t round_down(std::uint64_t bytes, std::uint64_t multiple_bytes) {
  return bytes / multiple_bytes * multiple_bytes;
}

std::uint64_t pages_of(std::uint64_t bytes) {
  const std::uint64_t page_bytes = os::memory_page_bytes();
  return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

// How long other processes may take to give back memory for this process. The time is extended while memory keeps coming.
class Expectation {
 public:
  bool goes_on(std::uint64_t held_bytes) {
    const std::uint64_t now_ns = os::now_ns();
    if (begin_ns_ == 0) begin_ns_ = now_ns;
    if (begin_ns_ == now_ns || held_bytes > most_bytes_) last_ns_ = now_ns;
    most_bytes_ = std::max(most_bytes_, held_bytes);
    return now_ns - last_ns_ < kOthersGiveNs && now_ns - begin_ns_ < kOthersGiveMaxNs;
  }

 private:
  std::uint64_t begin_ns_ = 0;
  std::uint64_t last_ns_ = 0;
  std::uint64_t most_bytes_ = 0;
};

// Whether other asking processes still hold a part of this process's share.
bool is_held_by_others(const Allowance& allowance, std::uint64_t goal_bytes, std::uint64_t noise_bytes) {
  return std::min(allowance.bytes, goal_bytes) > allowance.now_bytes + noise_bytes;
}

// Grows to the fair share, and follows the share while other processes come and go. Only free memory is touched: other asking processes may still hold a part of the share.
void grow_fairly(Probe& probe, std::uint64_t max_bytes,
                 const std::function<Allowance(std::uint64_t)>& allow) {
  ProbeEnd end = probe.grow(max_bytes);
  std::uint32_t last_askers = 0;
  int rounds_same = 0;
  Expectation others;
  for (int round = 0; round < kSettleRoundsMax && rounds_same < kSettleRoundsMin; ++round) {
    const Allowance allowance = allow(probe.held_bytes());
    const std::uint64_t goal_bytes = std::min(allowance.bytes, max_bytes);
    if (probe.held_bytes() > goal_bytes) probe.shrink(goal_bytes);
    if (allowance.askers <= 1) break;
    const std::uint64_t noise_bytes = goal_bytes / 16 + base::kMiB;
    if (end != ProbeEnd::paging && goal_bytes > probe.held_bytes() + noise_bytes)
      end = probe.grow(goal_bytes);
    while (end != ProbeEnd::paging && is_held_by_others(allow(probe.held_bytes()), goal_bytes, noise_bytes) &&
           others.goes_on(probe.held_bytes())) {
      os::pause_ns(kSettlePauseNs);
      end = probe.grow(goal_bytes);
    }
    // An asking process that is no longer counted has got its memory.
    rounds_same = allowance.askers <= last_askers ? rounds_same + 1 : 0;
    last_askers = allowance.askers;
    os::pause_ns(kSettlePauseNs);
  }
}

ClaimState state_of(bool is_returnable) {
  return is_returnable ? ClaimState::returnable : ClaimState::held;
}

// The allowance if all grants of other processes with claims were free. Only the growth of a process without a claim makes it smaller.
std::uint64_t unclaimed_bytes(const Allowance& allowance) {
  return allowance.bytes + allowance.granted_bytes;
}

// A process without a claim is growing. Leaves free memory to this process until the process stops growing: as much as the process will take in the next
// kGrowthLooksAhead checks at its present speed. At the end this process takes back the memory that the other process did not use.
void outlast_growth(Probe& probe, const std::function<Allowance(std::uint64_t)>& allow) {
  const std::uint64_t most_bytes = probe.held_bytes();
  Allowance last = allow(probe.held_bytes());
  std::uint64_t calm_bytes = unclaimed_bytes(last);
  int looks_calm = 0;
  for (int look = 0; look < kGrowthLooksMax && looks_calm < kGrowthLooksCalm; ++look) {
    os::pause_ns(kGrowthLookNs);
    const Allowance now = allow(probe.held_bytes());
    if (now.is_moving) continue;
    const std::uint64_t free_bytes = unclaimed_bytes(now);
    const std::uint64_t grown_bytes = unclaimed_bytes(last) - std::min(free_bytes, unclaimed_bytes(last));
    const std::uint64_t goal_bytes = now.bytes - std::min(now.bytes, kGrowthLooksAhead * grown_bytes);
    if (goal_bytes < probe.held_bytes()) probe.shrink(goal_bytes);
    if (now.askers > 1) return;  // the share is smaller because of the other askers
    const bool is_grown = free_bytes + kGrowthNoiseBytes < calm_bytes;
    looks_calm = is_grown ? 0 : looks_calm + 1;
    calm_bytes = is_grown ? free_bytes : std::max(free_bytes, calm_bytes);
    last = now;
  }
  if (looks_calm < kGrowthLooksCalm) return;
  const std::uint64_t goal_bytes = std::min(last.bytes, most_bytes);
  if (goal_bytes > probe.held_bytes() + kGrowthNoiseBytes) probe.grow(goal_bytes);
}

}  // namespace

Result<std::uint32_t> parse_signals(const char* text) {
  std::uint32_t signals = kSignalsAll;
  if (text == nullptr) return signals;
  std::string_view rest(text);
  if (rest.empty() || rest == "full") return signals;
  if (rest == "time") return std::uint32_t{kSignalsTimeOnly};
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    const std::string_view word = rest.substr(0, comma);
    const auto* found = std::find_if(std::begin(kSignalNames), std::end(kSignalNames),
                                     [&](const SignalName& signal) { return word == signal.name; });
    if (found == std::end(kSignalNames)) return Result<std::uint32_t>::failure(-EINVAL);
    signals &= ~found->bit;
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  }
  return signals;
}

Result<std::uint64_t> capacity_bytes(const PoolOptions& options) {
  const HostAccounts accounts;
  const auto pools = accounts.shared_pools(options);
  if (!is_room_known(pools)) return Result<std::uint64_t>::failure(-ENODATA);
  return least_capacity(pools, least_capacity(accounts.own_pools(), kUnlimited / 2));
}

int round_request(Request& request) {
  if (request.multiple_bytes == 0 || request.max_bytes == 0 || request.min_bytes > request.max_bytes)
    return -EINVAL;
  const std::uint64_t rest = request.min_bytes % request.multiple_bytes;
  if (rest != 0) {
    const std::uint64_t more = request.multiple_bytes - rest;
    if (more > std::numeric_limits<std::uint64_t>::max() - request.min_bytes) return -EINVAL;
    request.min_bytes += more;
  }
  request.min_bytes = std::max(request.min_bytes, request.multiple_bytes);
  request.max_bytes = round_down(request.max_bytes, request.multiple_bytes);
  return request.min_bytes > request.max_bytes ? -EINVAL : 0;
}

// The state of one request: its limits, its allowance and its claim. The claim is given up at the end unless keep() was called. All amounts include the memory
// that the process uses in addition to the grant.
class Allocator::Turn {
 public:
  Turn(Claims& claims, const Request& request) : claims_(claims), request_(request) {
    pool_options_ = {request.cache, request.margin_bytes, request.has_files};
  }
  ~Turn() {
    if (!is_kept_) claims_.leave(claim_);
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  [[nodiscard]] bool has(Signal signal) const { return (request_.signals & signal) != 0; }
  [[nodiscard]] HostAccounts& accounts() { return accounts_; }
  [[nodiscard]] std::uint64_t max_bytes() const { return max_bytes_; }
  [[nodiscard]] int claim() const { return claim_; }
  [[nodiscard]] const PoolOptions& pool_options() const { return pool_options_; }
  void keep() { is_kept_ = true; }

  // Checks the limits that waiting does not change.
  int check_fixed_limits() {
    // In whole pages, because memory is taken in pages.
    max_bytes_ = pages_of(std::min(request_.max_bytes, kUnlimited / 2) + request_.beside_bytes);
    if (!has(kSignalAccounts)) return 0;
    max_bytes_ = least_room(accounts_.own_pools(), max_bytes_);
    const auto pools = accounts_.shared_pools(pool_options_);
    max_bytes_ = pages_of(least_capacity(pools, max_bytes_));
    return min_bytes() > max_bytes_ ? -ENOMEM : 0;
  }

  [[nodiscard]] bool is_room_known() const {
    return memory::is_room_known(accounts_.shared_pools(pool_options_));
  }

  // Includes the memory that is used in addition to the grant. Allowances include this memory, too, so the two can be compared.
  [[nodiscard]] std::uint64_t min_bytes() const {
    return std::min(request_.min_bytes, kUnlimited / 2) + request_.beside_bytes;
  }

  // The grant that an allowance gives; 0 if there is not enough memory for the minimum.
  [[nodiscard]] std::uint64_t grant_of(std::uint64_t allowed_bytes) const {
    const std::uint64_t free_bytes = allowed_bytes - std::min(allowed_bytes, request_.beside_bytes);
    const std::uint64_t bytes = round_down(std::min(free_bytes, request_.max_bytes), request_.multiple_bytes);
    return bytes < request_.min_bytes ? 0 : bytes;
  }

  void enter(ClaimState state) {
    if (has(kSignalClaims) && has(kSignalAccounts)) claim_ = claims_.enter(state, min_bytes(), max_bytes_);
  }

  Allowance allow(std::uint64_t held_bytes) {
    if (!has(kSignalAccounts)) return {max_bytes_, max_bytes_, 1, 0, 0, false};
    const auto look = [this] { return accounts_.shared_pools(pool_options_); };
    if (!has(kSignalClaims)) return divide_pools(look(), {}, claim_of(held_bytes));
    return claims_.allow(patience_, claim_, held_bytes, max_bytes_, look);
  }

  // Turns the claim into a promise if there is enough memory for the minimum. Returns the grant, or 0.
  std::uint64_t promise() {
    if (!has(kSignalClaims)) return grant_of(allow(0).bytes);
    const auto look = [this] { return accounts_.shared_pools(pool_options_); };
    const auto cut = [this](const Allowance& allowance) {
      const std::uint64_t bytes = grant_of(allowance.bytes);
      return bytes == 0 ? 0 : bytes + request_.beside_bytes;
    };
    const std::uint64_t promised_bytes = claims_.promise(patience_, claim_, max_bytes_, look, cut);
    return promised_bytes - std::min(promised_bytes, request_.beside_bytes);
  }

  // Waits until the minimum is free.
  int wait(std::uint64_t end_ns) {
    std::optional<RoomEvents> events;
    std::uint64_t pause_ns = kLookAgainFirstNs;
    for (;;) {
      const Allowance allowance = allow(0);
      const std::uint64_t now_ns = os::now_ns();
      const bool is_there = allowance.bytes >= min_bytes();
      if (is_there && enough_since_ns_ == 0) enough_since_ns_ = now_ns;
      if (!is_there) enough_since_ns_ = 0;
      const bool is_patient = now_ns < end_ns && now_ns - enough_since_ns_ < kLookAgainNs;
      if (is_there && (!is_patient || is_ample())) return 0;
      if (now_ns >= end_ns) return request_.timeout_ns == 0 ? -EAGAIN : -ETIMEDOUT;
      const bool is_told = tell_reserve();
      if (!events) {
        events.emplace(claims_, accounts_, has(kSignalStall));
        if (events->is_open()) continue;  // an event before the descriptors were open was not seen
      }
      if (is_told) continue;
      // The processes that give memory back are about to give the rest.
      if (is_there) pause_ns = kLookAgainFirstNs;
      if (!events->is_open()) {
        claims_.wait(allowance.generation, std::min(pause_ns, end_ns - now_ns));
      } else if (!is_there && events->expect(accounts_.shared_pools(pool_options_), min_bytes())) {
        events->wait(std::min(kLookAgainToldNs, end_ns - now_ns));
      } else {
        events->wait(std::min(pause_ns, end_ns - now_ns));
      }
      pause_ns = std::min(2 * pause_ns, kLookAgainNs);
    }
  }

  // Called when the minimum was free but could not be taken. Then more than the minimum must be free.
  void note_failure() {
    slack_bytes_ = std::min(2 * slack_bytes(), min_bytes() / kSlackShareMax + 2 * kBookedAheadBytes);
    enough_since_ns_ = 0;
  }

 private:
  // How much memory must be free in addition to the minimum, so that the last part of the minimum can be taken.
  [[nodiscard]] std::uint64_t slack_bytes() const {
    return slack_bytes_ != 0 ? slack_bytes_ : min_bytes() / kPageTableShare + kBookedAheadBytes;
  }

  // Half of slack_bytes() is enough, because the amounts that other processes give back are not exact either.
  [[nodiscard]] bool is_ample() const {
    const std::uint64_t ample_bytes = min_bytes() + slack_bytes() / 2;
    return !has(kSignalAccounts) ||
           least_room(accounts_.shared_pools(pool_options_), ample_bytes) == ample_bytes;
  }

  // Tells the processes that hold returnable memory that this process waits, and how much must be free in addition to its minimum. False: they know
  // this already.
  bool tell_reserve() {
    const std::uint64_t bytes = slack_bytes() + reserve_for(accounts_.shared_pools(pool_options_),
                                                            accounts_.shared_pools(kCommonAccount));
    const std::uint64_t told_bytes = told_reserve_bytes_.value_or(0);
    const std::uint64_t moved_bytes = std::max(bytes, told_bytes) - std::min(bytes, told_bytes);
    if (told_reserve_bytes_ && moved_bytes < kReserveNoiseBytes) return false;
    told_reserve_bytes_ = bytes;
    claims_.ask_back(claim_, bytes);
    return true;
  }

  [[nodiscard]] Claim claim_of(std::uint64_t held_bytes) const {
    Claim me{};
    me.min_bytes = min_bytes();
    me.max_bytes = max_bytes_;
    me.held_bytes = held_bytes;
    return me;
  }

  Claims& claims_;
  const Request& request_;
  HostAccounts accounts_;
  PoolOptions pool_options_;
  std::uint64_t max_bytes_ = 0;
  std::uint64_t slack_bytes_ = 0;  // 0: the usual amount
  // Since when the minimum has been free while this process waits; 0: it is not free.
  std::uint64_t enough_since_ns_ = 0;
  std::optional<std::uint64_t> told_reserve_bytes_;
  Patience patience_;
  int claim_ = -1;
  bool is_kept_ = false;
};

// Without the accounts the probe continues until a touch gets slow.
Result<TouchTimes> Allocator::touch_times(const Request& request) {
  const std::lock_guard<std::mutex> guard(mutex_);
  if (times_.fresh_ns == 0 && record_) times_ = record_();
  time_touches(times_);
  if ((request.signals & kSignalAccounts) == 0 && !time_paging(times_))
    return Result<TouchTimes>::failure(-ENODATA);
  return times_;
}

Result<Grant> Allocator::probe_for(const Request& request, Turn& turn) {
  // Measures the times first, because the reservation below may take the whole address space.
  const auto times = touch_times(request);
  if (!times) return Result<Grant>::failure(times.error());
  std::uint64_t reserved_bytes = pages_of(turn.max_bytes());
  auto reserved = os::reserve_memory(reserved_bytes);
  while (!reserved && reserved_bytes / 2 >= pages_of(request.min_bytes)) {
    reserved_bytes = pages_of(reserved_bytes / 2);
    reserved = os::reserve_memory(reserved_bytes);
  }
  if (!reserved) return Result<Grant>::failure(-ENOMEM);
  unsigned char* base = reserved.value();
  // If the kernel kills the group as a whole, the child's death would also kill this process.
  if (request.wants_canary && !turn.accounts().is_killed_whole()) {
    const std::uint64_t goal_bytes = std::min(turn.allow(0).now_bytes, reserved_bytes);
    if (os::try_in_child(goal_bytes) == -ENOMEM) {
      os::release_memory(base, reserved_bytes);
      return Result<Grant>::failure(-EAGAIN);
    }
  }
  ProbeOptions options;
  options.times = times.value();
  options.signals = request.signals;
  options.cache = request.cache;
  options.has_files = request.has_files;
  std::uint64_t highest_bytes = 0;  // the highest unclaimed_bytes() so far
  ProbeWatch watch{[&](std::uint64_t held_bytes) {
                     const Allowance allowance = turn.allow(held_bytes);
                     if (allowance.askers <= 1 && !allowance.is_moving)
                       highest_bytes = std::max(highest_bytes, unclaimed_bytes(allowance));
                     return allowance.now_bytes;
                   },
                   [&] { return turn.accounts().paging_counters(); }};
  Probe probe(base, reserved_bytes, options, watch);
  const auto allow = [&](std::uint64_t held_bytes) { return turn.allow(held_bytes); };
  grow_fairly(probe, std::min(reserved_bytes, turn.max_bytes()), allow);
  const Allowance now = allow(probe.held_bytes());
  if (now.askers <= 1 && !now.is_moving && unclaimed_bytes(now) + kGrowthNoiseBytes < highest_bytes)
    outlast_growth(probe, allow);
  const std::uint64_t bytes =
      round_down(std::min(probe.held_bytes(), request.max_bytes), request.multiple_bytes);
  if (bytes < request.min_bytes) {
    os::release_memory(base, reserved_bytes);
    return Result<Grant>::failure(-EAGAIN);
  }
  os::release_memory(base + pages_of(bytes), reserved_bytes - pages_of(bytes));
  if (request.wants_huge_pages) os::prefer_huge_pages(base, bytes);
  return Grant{base, bytes};
}

Result<Grant> Allocator::allocate(Request request) {
  if (const int error = round_request(request); error != 0) return Result<Grant>::failure(error);
  Turn turn(claims_, request);
  if (const int error = turn.check_fixed_limits(); error != 0) return Result<Grant>::failure(error);
  const std::uint64_t start_ns = os::now_ns();
  const std::uint64_t end_ns = start_ns + std::min(request.timeout_ns, kUnlimited - start_ns);
  if (end_ns == kUnlimited && holds_returnable()) return Result<Grant>::failure(-EDEADLK);
  turn.enter(request.timeout_ns == 0 ? ClaimState::asking : ClaimState::waiting);
  for (;;) {
    if (const int error = turn.wait(end_ns); error != 0) return Result<Grant>::failure(error);
    claims_.change(turn.claim(), ClaimState::asking, 0, 0);
    const auto grant = probe_for(request, turn);
    if (grant) {
      claims_.change(turn.claim(), state_of(request.is_returnable), grant.value().bytes, 0);
      turn.keep();
      const std::lock_guard<std::mutex> guard(mutex_);
      holdings_[grant.value().address] = {
          pages_of(grant.value().bytes), grant.value().bytes, turn.claim(), os::process_id(),
          request.is_returnable,         request.min_bytes};
      return grant;
    }
    if (grant.error() != -EAGAIN || request.timeout_ns == 0) return grant;
    if (os::now_ns() >= end_ns) return Result<Grant>::failure(-ETIMEDOUT);
    turn.note_failure();
    claims_.change(turn.claim(), ClaimState::waiting, 0, 0);
    os::pause_ns(kLookAgainFirstNs);
  }
}

Result<Estimate> Allocator::estimate(Request request) {
  if (const int error = round_request(request); error != 0) return Result<Estimate>::failure(error);
  request.signals |= kSignalAccounts;  // only the accounts give an answer without taking memory
  Turn turn(claims_, request);
  if (!turn.is_room_known()) return Result<Estimate>::failure(-ENODATA);
  if (const int error = turn.check_fixed_limits(); error != 0) return Result<Estimate>::failure(error);
  const std::uint64_t bytes = turn.grant_of(turn.allow(0).bytes);
  if (bytes == 0) return Result<Estimate>::failure(-EAGAIN);
  Estimate estimate{bytes, PoolKind::host, 0};
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const Pool& pool : turn.accounts().shared_pools(turn.pool_options())) {
    if (pool.room_bytes >= least) continue;
    least = pool.room_bytes;
    estimate.kind = pool.kind;
    estimate.margin_bytes = pool.margin_bytes;
  }
  return estimate;
}

Result<Grant> Allocator::promise(Request request, int& claim) {
  claim = -1;
  if (const int error = round_request(request); error != 0) return Result<Grant>::failure(error);
  request.signals |= kSignalAccounts;
  Turn turn(claims_, request);
  if (!turn.is_room_known()) return Result<Grant>::failure(-ENODATA);
  if (const int error = turn.check_fixed_limits(); error != 0) return Result<Grant>::failure(error);
  const std::uint64_t start_ns = os::now_ns();
  const std::uint64_t end_ns = start_ns + std::min(request.timeout_ns, kUnlimited - start_ns);
  turn.enter(request.timeout_ns == 0 ? ClaimState::asking : ClaimState::waiting);
  for (;;) {
    if (const int error = turn.wait(end_ns); error != 0) return Result<Grant>::failure(error);
    claims_.change(turn.claim(), ClaimState::asking, 0, 0);
    for (int round = 0; round < kSettleRoundsMin; ++round) {  // waits for processes that ask at the same time
      if (turn.allow(0).askers <= 1 && round > 0) break;
      os::pause_ns(kSettlePauseNs);
    }
    const std::uint64_t bytes = turn.promise();
    if (bytes != 0) {
      turn.keep();
      claim = turn.claim();
      return Grant{nullptr, bytes};
    }
    // Another process has taken the free memory since this process saw it.
    claims_.change(turn.claim(), ClaimState::waiting, 0, 0);
    if (request.timeout_ns == 0) return Result<Grant>::failure(-EAGAIN);
    os::pause_ns(kLookAgainFirstNs);
  }
}

void Allocator::change_promise(int claim, std::uint64_t pending_bytes) {
  claims_.change(claim, ClaimState::promised, 0, pending_bytes);
}

void Allocator::end_promise(int claim) {
  claims_.leave(claim);
}

int Allocator::release(void* address) {
  Holding holding{};
  {
    const std::lock_guard<std::mutex> guard(mutex_);
    const auto found = holdings_.find(static_cast<unsigned char*>(address));
    if (found == holdings_.end()) return -EINVAL;
    holding = found->second;
    holdings_.erase(found);
  }
  const int claim = holding.pid == os::process_id() ? holding.claim : -1;
  claims_.change(claim, ClaimState::leaving, holding.bytes, 0);
  os::release_memory(static_cast<unsigned char*>(address), holding.mapped_bytes);
  claims_.leave(claim);
  return 0;
}

int Allocator::shrink(void* address, std::uint64_t bytes) {
  int claim = -1;
  bool is_returnable = false;
  {
    const std::lock_guard<std::mutex> guard(mutex_);
    const auto found = holdings_.find(static_cast<unsigned char*>(address));
    if (found == holdings_.end() || bytes == 0 || bytes > found->second.bytes) return -EINVAL;
    Holding& holding = found->second;
    const std::uint64_t kept_bytes = pages_of(bytes);
    if (holding.pid == os::process_id()) claim = holding.claim;
    claims_.change(claim, ClaimState::leaving, holding.bytes, 0);
    os::release_memory(found->first + kept_bytes, holding.mapped_bytes - kept_bytes);
    holding.mapped_bytes = kept_bytes;
    holding.bytes = bytes;
    is_returnable = holding.is_returnable;
  }
  claims_.change(claim, state_of(is_returnable), bytes, 0);
  return 0;
}

bool Allocator::holds_returnable() {
  const std::lock_guard<std::mutex> guard(mutex_);
  return std::any_of(holdings_.begin(), holdings_.end(), [](const auto& entry) {
    return entry.second.is_returnable && entry.second.pid == os::process_id();
  });
}

Result<std::uint64_t> Allocator::wanted_back(void* address, std::uint64_t timeout_ns) {
  const std::uint64_t start_ns = os::now_ns();
  const std::uint64_t end_ns = start_ns + std::min(timeout_ns, kUnlimited - start_ns);
  const HostAccounts accounts;
  for (;;) {
    Holding holding{};
    {
      const std::lock_guard<std::mutex> guard(mutex_);
      const auto found = holdings_.find(static_cast<unsigned char*>(address));
      if (found == holdings_.end()) return Result<std::uint64_t>::failure(-EINVAL);
      holding = found->second;
    }
    if (!holding.is_returnable || holding.pid != os::process_id()) return std::uint64_t{0};
    std::uint32_t generation = 0;
    const auto look = [&] { return accounts.shared_pools(kCommonAccount); };
    const std::uint64_t bytes = claims_.wanted_back(holding.claim, generation, look);
    const std::uint64_t now_ns = os::now_ns();
    if (bytes != 0 || now_ns >= end_ns)
      return std::min(pages_of(bytes), holding.bytes - std::min(holding.bytes, holding.min_bytes));
    claims_.wait(generation, std::min(kLookAgainNs, end_ns - now_ns));
  }
}

void Allocator::lock_for_fork() {
  mutex_.lock();
  claims_.lock_for_fork();
}

void Allocator::unlock_after_fork() {
  claims_.unlock_after_fork();
  mutex_.unlock();
}

}  // namespace gray::memory
