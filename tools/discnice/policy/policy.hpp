// SPDX-License-Identifier: MIT
// policy: decides whether an operation may start now. Policies are pure functions of (state, grant, cost, now). No code here sleeps or reads anything
// else.
//
// The whole state of a policy is one 64-bit word. So a tree of processes can keep the state in shared memory and change the state with one
// compare-and-swap, without a lock that a killed member could leave behind.
#pragma once

#include <cstdint>

#include "tools/discnice/contract/disk_activity.hpp"
#include "tools/discnice/contract/grant.hpp"
#include "tools/discnice/contract/verdict.hpp"

namespace discnice::policy {

/// The shared word. For rate_window it is the instant up to which the admitted disk work is paid for.
struct State {
  std::uint64_t paid_until_ns = 0;
};

/// The answer of a policy: the state after the operation is admitted, and the instant at which the operation may start.
struct Decision {
  State next;
  Verdict verdict;
};

/// A policy: a name, a description, and pure functions. It is safe in threads and after a fork, because it keeps no data.
struct Policy {
  const char* name;
  const char* summary;
  bool needs_rate;
  /// Admits an operation of `cost_bytes` at `now_ns`.
  Decision (*admit)(State state, const Grant& grant, std::uint64_t cost_bytes, std::uint64_t now_ns);
  /// Corrects the account afterwards. A positive number means that the disk moved more bytes than were admitted.
  State (*correct)(State state, const Grant& grant, std::int64_t correction_bytes, std::uint64_t now_ns);
  /// Null for a policy that does not look at the disk. Otherwise it tells whether an operation of `cost_bytes` may start, given the disk's other
  /// users. `last_go` is the instant at which the job's last operation started. The caller asks again until the instant of the answer has come. Only
  /// then the state becomes `next`.
  Decision (*hold)(State last_go, const Grant& grant, const DiskActivity& activity, std::uint64_t cost_bytes,
                   std::uint64_t now_ns);
};

}  // namespace discnice::policy
