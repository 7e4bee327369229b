// SPDX-License-Identifier: MIT
// floor: how long a job that gives way may be held back before it gets a turn even beside others.
#pragma once

#include <cstdint>

#include "tools/discnice/contract/disk_activity.hpp"
#include "tools/discnice/contract/grant.hpp"
#include "tools/discnice/policy/disk_speed.hpp"

namespace discnice::policy {

/// On a mechanical disk an operation gets its turn at the latest this long after the job's last operation. No job may starve. Two requests a second cost the foreground of a
/// mechanical disk some hundredths of its speed (four cost eight hundredths on bench/hddsim, even if each is one window of read-ahead).
inline constexpr std::uint64_t kTurnNs = 500'000'000;

/// How long after the job's last operation an operation of `cost_bytes` may go, whatever others do. The time is shorter if others wait less for it. With a minimum rate it is
/// short enough for that rate. Pure.
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
