// SPDX-License-Identifier: MIT
// floor: how long a job that gives way may be held back before it gets a turn all the same.
#pragma once

#include <cstdint>

#include "tools/discnice/contract/disk_activity.hpp"
#include "tools/discnice/contract/grant.hpp"
#include "tools/discnice/policy/disk_speed.hpp"

namespace discnice::policy {

/// An operation's turn at a mechanical disk comes after this at the latest, counted from the job's last one: nothing may starve, and two requests
/// a second cost a mechanical disk's foreground some hundredths (four cost eight on bench/hddsim, even of one window of read-ahead each).
inline constexpr std::uint64_t kTurnNs = 500'000'000;

/// How long after the job's last operation one of `cost_bytes` may go whatever others do: sooner where they wait less for it. With a least rate: so that
/// the job gets it. Pure.
inline std::uint64_t turn_after_ns(const Grant& grant, const DiskActivity& activity,
                                   std::uint64_t cost_bytes) {
  constexpr std::uint64_t kSecondNs = 1'000'000'000;
  const std::uint64_t turn_ns = on_this_disk(activity, kTurnNs);
  if (grant.rate_min_bytes_per_s == 0) return turn_ns;
  __extension__ using Wide = unsigned __int128;
  const Wide paid_ns = static_cast<Wide>(cost_bytes) * kSecondNs / grant.rate_min_bytes_per_s;
  return paid_ns < turn_ns ? static_cast<std::uint64_t>(paid_ns) : turn_ns;
}

}  // namespace discnice::policy
