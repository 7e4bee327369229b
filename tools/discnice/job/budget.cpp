// SPDX-License-Identifier: MIT
#include "tools/discnice/job/budget.hpp"

#include "toolbox/base/clock.hpp"
#include "tools/discnice/policy/cache_use.hpp"
#include "tools/discnice/policy/lanes.hpp"
#include "tools/discnice/policy/lumps.hpp"
#include "tools/discnice/policy/registry.hpp"
#include "tools/discnice/protocol/lane_account.hpp"
#include "tools/discnice/protocol/segment.hpp"

namespace discnice::guest {
namespace {

using policy::Lane;

static_assert(policy::kLaneCount == protocol::kLaneStates);

constexpr std::uint64_t kNanosecondsPerSecond = 1'000'000'000;
constexpr std::uint64_t kBurstsPerSecond = 10;  // a part: a tenth of the rate
// The largest part of a job that gives way. The foreground may have to wait for one such part. The part is smaller while there is a foreground.
constexpr std::uint64_t kHeldPartBytes = 512 * 1024;
constexpr std::uint64_t kTurnPartBytes = kPartBytesMin;
// The most credit for bytes that were waited for and not moved: the bytes of a second at the rate, or a few of the largest
// read-ahead windows.
constexpr std::uint64_t kCreditBytesMin = UINT64_C(16) << 20;
// A debt may lie this far beyond the latest account, because the accounts change while it is read.
constexpr std::uint64_t kDebtSlackNs = 100'000'000;
// No correction is larger. A larger number means damaged shared memory.
constexpr std::int64_t kCorrectionMax = INT64_C(1) << 60U;

std::int64_t bounded(std::int64_t correction) {
  if (correction > kCorrectionMax) return kCorrectionMax;
  return correction < -kCorrectionMax ? -kCorrectionMax : correction;
}

std::int64_t lane_correction(Lane lane, std::int64_t read_bytes, std::int64_t write_bytes) {
  switch (lane) {
    case Lane::bytes:
      return read_bytes + write_bytes;
    case Lane::read_bytes:
      return read_bytes;
    case Lane::written_bytes:
      return write_bytes;
    case Lane::operations:
      return read_bytes + write_bytes > 0 ? 1 : 0;
  }
  return 0;
}

std::uint64_t credit_max(std::uint64_t rate_per_s) {
  return rate_per_s > kCreditBytesMin ? rate_per_s : kCreditBytesMin;
}

void give_credit(Job& job, const Grant& one, Lane lane, std::uint64_t units) {
  std::atomic<std::uint64_t>& credit = job.segment->lane_credits[static_cast<unsigned>(lane)];
  const std::uint64_t max = credit_max(one.rate_bytes_per_s);
  std::uint64_t before = credit.load(std::memory_order_relaxed);
  std::uint64_t after = 0;
  do {
    after = before >= max || units >= max - before ? max : before + units;
  } while (!credit.compare_exchange_weak(before, after, std::memory_order_relaxed));
}

// Returns how much of `units` the lane's credit has not paid. A credit larger than any that is given means damaged shared memory.
std::uint64_t take_credit(Job& job, const Grant& one, Lane lane, std::uint64_t units) {
  std::atomic<std::uint64_t>& credit = job.segment->lane_credits[static_cast<unsigned>(lane)];
  std::uint64_t before = credit.load(std::memory_order_relaxed);
  while (before != 0) {
    const std::uint64_t honest = before <= credit_max(one.rate_bytes_per_s) ? before : 0;
    const std::uint64_t taken = honest < units ? honest : units;
    if (credit.compare_exchange_weak(before, honest - taken, std::memory_order_relaxed)) return units - taken;
  }
  return units;
}

// Gives back the time in which a lane moves `units`, as far as it has not been waited for yet. The rest becomes credit, which does not expire while the job is idle.
void give_back(Job& job, const Grant& one, Lane lane, std::uint64_t units, std::uint64_t now_ns) {
  const policy::Policy& policy = policy::policy_by_id(one.policy_id);
  const auto correction = -static_cast<std::int64_t>(units);
  std::uint64_t waited_ns = 0;
  protocol::change_paid_ns(
      *job.segment, static_cast<unsigned>(lane), 0, one.rate_bytes_per_s, now_ns, [&](std::uint64_t state) {
        const std::uint64_t next = policy.correct({state}, one, correction, now_ns).paid_until_ns;
        const std::uint64_t earliest = state < now_ns ? state : now_ns;
        waited_ns = next < earliest ? earliest - next : 0;
        return next < earliest ? earliest : next;
      });
  __extension__ using Wide = unsigned __int128;
  const Wide waited = static_cast<Wide>(waited_ns) * one.rate_bytes_per_s / kNanosecondsPerSecond;
  if (waited != 0) give_credit(job, one, lane, waited < units ? static_cast<std::uint64_t>(waited) : units);
}

std::uint64_t correct_lane(Job& job, const Grant& grant, Lane lane, std::int64_t units,
                           std::uint64_t now_ns) {
  if (units == 0 || policy::lane_limit(grant, lane) == 0) return 0;
  const policy::Policy& policy = policy::policy_by_id(grant.policy_id);
  Grant one = policy::lane_grant(grant, lane);
  if (units < 0) {
    give_back(job, one, lane, 0 - static_cast<std::uint64_t>(units), now_ns);
    return 0;
  }
  const std::uint64_t unpaid = take_credit(job, one, lane, static_cast<std::uint64_t>(units));
  if (unpaid == 0) return 0;
  // A correction must not lose the saved credit.
  if (one.window_ns < policy::kSavedMaxNs) one.window_ns = policy::kSavedMaxNs;
  std::uint64_t paid_ns = 0;
  protocol::change_paid_ns(
      *job.segment, static_cast<unsigned>(lane), unpaid, one.rate_bytes_per_s, now_ns,
      [&](std::uint64_t state) {
        paid_ns = policy.correct({state}, one, static_cast<std::int64_t>(unpaid), now_ns).paid_until_ns;
        return paid_ns;
      });
  return paid_ns;
}

}  // namespace

Grant grant_now(const Job& job, std::uint64_t now_ns) {
  Grant grant = protocol::load_grant(*job.segment);
  if (grant.policy_id != policy::kShareId) return grant;
  const std::uint64_t lent = protocol::lent_rate(*job.segment, now_ns);
  // A lent rate is never higher than the job's own rate.
  if (lent != 0 && lent < grant.rate_bytes_per_s) grant.rate_bytes_per_s = lent;
  return grant;
}

std::uint64_t shared_rate_of(const Grant& grant) {
  return grant.policy_id == policy::kShareId ? grant.rate_bytes_per_s : 0;
}

std::uint64_t charge(Job& job, const Grant& grant, const IoEstimate& estimate, const Portion& portion,
                     std::uint64_t now_ns) {
  const policy::Policy& policy = policy::policy_by_id(grant.policy_id);
  std::uint64_t start_at_ns = 0;
  for (std::uint32_t i = 0; i < policy::kLaneCount; ++i) {
    const Lane lane{static_cast<std::uint8_t>(i)};
    const std::uint64_t cost = policy::lane_cost(lane, estimate);
    if (cost == 0 || policy::lane_limit(grant, lane) == 0) continue;
    Grant one = policy::lane_grant(grant, lane);
    const std::uint64_t units = take_credit(job, one, lane, cost);
    if (units == 0) continue;
    if (lane == Lane::bytes && one.window_ns < portion.saved_ns_max) one.window_ns = portion.saved_ns_max;
    policy::Decision decision{};
    protocol::change_paid_ns(*job.segment, i, units, one.rate_bytes_per_s, now_ns, [&](std::uint64_t state) {
      decision = policy.admit({state}, one, units, now_ns);
      return decision.next.paid_until_ns;
    });
    std::uint64_t lane_start_ns = decision.verdict.start_at_ns;
    // Half of a portion is borrowed and half is saved up. So on average the job is neither ahead of its rate nor behind it.
    const std::uint64_t half_ns = lane == Lane::bytes ? portion.time_ns / 2 : 0;
    lane_start_ns = lane_start_ns > now_ns + half_ns ? lane_start_ns + half_ns : 0;
    if (lane_start_ns > start_at_ns) start_at_ns = lane_start_ns;
  }
  return start_at_ns;
}

std::uint64_t correct(Job& job, std::int64_t read_bytes, std::int64_t write_bytes) {
  if (read_bytes == 0 && write_bytes == 0) return 0;
  read_bytes = bounded(read_bytes);
  write_bytes = bounded(write_bytes);
  const std::uint64_t now_ns = gray::base::monotonic_ns();
  const Grant grant = grant_now(job, now_ns);
  std::uint64_t paid_ns = 0;
  for (std::uint32_t i = 0; i < policy::kLaneCount; ++i) {
    const Lane lane{static_cast<std::uint8_t>(i)};
    const std::uint64_t lane_paid_ns =
        correct_lane(job, grant, lane, lane_correction(lane, read_bytes, write_bytes), now_ns);
    if (lane_paid_ns > paid_ns) paid_ns = lane_paid_ns;
  }
  return paid_ns;
}

std::uint64_t paid_ns(const Job& job, const Grant& grant, std::uint64_t now_ns) {
  std::uint64_t latest_ns = now_ns;
  for (std::uint32_t i = 0; i < policy::kLaneCount; ++i) {
    const std::uint64_t rate = policy::lane_limit(grant, Lane{static_cast<std::uint8_t>(i)});
    const std::uint64_t lane_ns = protocol::load_paid_ns(*job.segment, i, rate, now_ns);
    if (lane_ns > latest_ns) latest_ns = lane_ns;
  }
  return latest_ns;
}

std::uint64_t latest_paid_ns(const Job& job, const Grant& grant, std::uint64_t now_ns) {
  return paid_ns(job, grant, now_ns) + kDebtSlackNs + policy::kLumpMaxNs;
}

std::uint64_t part_bytes(const Grant& grant, bool is_write, bool is_shared) {
  const std::uint64_t lane = is_write ? grant.write_rate_bytes_per_s : grant.read_rate_bytes_per_s;
  std::uint64_t rate = grant.rate_bytes_per_s;
  if (lane != 0 && (rate == 0 || lane < rate)) rate = lane;
  const bool is_holding = policy::policy_by_id(grant.policy_id).hold != nullptr;
  const std::uint64_t held_part = is_shared ? kTurnPartBytes : kHeldPartBytes;
  // The pages that one call brings into the page cache stay there until the call ends.
  if (rate == 0) return is_holding || policy::lets_go_of_cache(grant) ? held_part : 0;
  const std::uint64_t paced = rate / kBurstsPerSecond / kPartBytesMin * kPartBytesMin;
  const std::uint64_t part = paced > kPartBytesMin ? paced : kPartBytesMin;
  return is_holding && part > held_part ? held_part : part;
}

}  // namespace discnice::guest
