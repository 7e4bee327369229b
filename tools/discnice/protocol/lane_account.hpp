// SPDX-License-Identifier: MIT
// lane_account: the shared account of one of a job's limits. It holds the instant until which all admitted work is paid, and two sums that confirm that instant.
//
// A wrong instant could have any value, and every process of the job would wait for it. So two sums are kept in addition: the number of units that were ever
// charged to the account, and the number of units that had been charged when all units were last found paid. No correct debt is longer than the time that the
// difference takes at the job's rate. So even when the memory is damaged, a process waits only for its own bytes, and for bytes of others that were charged
// and are not paid yet.
#pragma once

#include <atomic>
#include <cstdint>

#include "tools/discnice/protocol/guarded_word.hpp"
#include "tools/discnice/protocol/layout.hpp"

namespace discnice::protocol {

/// An account may lie this far ahead of the instant that the sums confirm, because its words change one after the other.
inline constexpr std::uint64_t kUnbackedMaxNs = 100'000'000;

/// The instant in a lane's word, limited to instants that are possible at this rate (units for each second; 0: the lane has no limit, and nothing
/// is owed).
/// `own_units` of the charged units belong to the caller, who has not moved the instant for them yet.
inline std::uint64_t checked_paid_ns(const Segment& segment, unsigned lane, std::uint64_t word,
                                     std::uint64_t rate_per_s, std::uint64_t now_ns,
                                     std::uint64_t own_units = 0) {
  const std::uint64_t paid_ns = unpack_instant(word, now_ns);
  if (paid_ns <= now_ns) return paid_ns;
  if (rate_per_s == 0) return now_ns;
  const std::uint64_t settled = segment.lane_settled[lane].load(std::memory_order_relaxed);
  const std::uint64_t charged = segment.lane_charged[lane].load(std::memory_order_relaxed) - own_units;
  const std::uint64_t unpaid = charged > settled ? charged - settled : 0;
  __extension__ using Wide = unsigned __int128;
  const Wide backed_ns = static_cast<Wide>(unpaid) * 1'000'000'000U / rate_per_s + kUnbackedMaxNs;
  return paid_ns - now_ns <= backed_ns ? paid_ns : now_ns + static_cast<std::uint64_t>(backed_ns);
}

inline std::uint64_t load_paid_ns(const Segment& segment, unsigned lane, std::uint64_t rate_per_s,
                                  std::uint64_t now_ns) {
  const std::uint64_t word = segment.lane_states[lane].load(std::memory_order_relaxed);
  return checked_paid_ns(segment, lane, word, rate_per_s, now_ns);
}

/// Charges `units` and replaces the instant by the result of `next`. `next` is called again when another process changed the word meanwhile.
template <typename Next>
void change_paid_ns(Segment& segment, unsigned lane, std::uint64_t units, std::uint64_t rate_per_s,
                    std::uint64_t now_ns, Next next) {
  // This sum is read before the instant, so that later charges of other processes count as unpaid.
  const std::uint64_t charged = segment.lane_charged[lane].load(std::memory_order_acquire);
  std::uint64_t word = segment.lane_states[lane].load(std::memory_order_acquire);
  if (unpack_instant(word, now_ns) <= now_ns)
    segment.lane_settled[lane].store(charged, std::memory_order_relaxed);
  if (units != 0) segment.lane_charged[lane].fetch_add(units, std::memory_order_release);
  while (!segment.lane_states[lane].compare_exchange_weak(
      word, pack_instant(next(checked_paid_ns(segment, lane, word, rate_per_s, now_ns, units))),
      std::memory_order_release, std::memory_order_relaxed)) {
  }
}

/// From now on no lane owes anything.
inline void settle_lanes(Segment& segment, std::uint64_t now_ns) {
  for (unsigned lane = 0; lane < kLaneStates; ++lane) {
    const std::uint64_t charged = segment.lane_charged[lane].load(std::memory_order_acquire);
    store_instant(segment.lane_states[lane], now_ns);
    segment.lane_settled[lane].store(charged, std::memory_order_relaxed);
    segment.lane_credits[lane].store(0, std::memory_order_relaxed);
  }
}

}  // namespace discnice::protocol
