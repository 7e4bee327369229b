// SPDX-License-Identifier: MIT
// floor: how long a job that gives way may be held back before it gets a turn all the same.
#pragma once

#include <cstdint>

#include "tools/discnice/contract/grant.hpp"

namespace discnice::policy {

/// An operation's turn comes after this at the latest, counted from the job's last one: nothing may starve, and a request a
/// second costs a mechanical disk's foreground two hundredths.
inline constexpr std::uint64_t kTurnNs = 1'000'000'000;

/// How long after the job's last operation one of `cost_bytes` may go whatever others do. With a least rate: so that the job
/// gets it. Pure.
inline std::uint64_t turn_after_ns(const Grant& grant, std::uint64_t cost_bytes) {
  if (grant.rate_min_bytes_per_s == 0) return kTurnNs;
  const std::uint64_t bounded =
      cost_bytes < grant.rate_min_bytes_per_s ? cost_bytes : grant.rate_min_bytes_per_s;
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(static_cast<Wide>(bounded) * kTurnNs / grant.rate_min_bytes_per_s);
}

}  // namespace discnice::policy
