// SPDX-License-Identifier: MIT
// floor: the longest time for which a job that gives way may wait before it gets a turn in any case.
#pragma once

#include <cstdint>

#include "tools/discnice/contract/disk_activity.hpp"
#include "tools/discnice/contract/grant.hpp"
#include "tools/discnice/policy/disk_speed.hpp"

namespace discnice::policy {

/// At a mechanical disk, a job gets its next turn at most this long after its last turn, so that no job starves. Two requests a second cost the foreground
/// of a mechanical disk a few hundredths of its speed. Four requests a second cost eight hundredths on bench/hddsim, even when each request is one window of
/// read-ahead.
inline constexpr std::uint64_t kTurnNs = 500'000'000;

/// How long after the job's last operation an operation of `cost_bytes` may start, even when others use the disk. The time is shorter on a disk
/// where others wait less for a request, and when a least rate is set, so that the job gets that rate. Pure.
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
