// SPDX-License-Identifier: MIT
// policy: decides whether an operation may go now. Policies are pure functions of (state, grant, cost, now). Nothing here sleeps or reads the system.
//
// The whole state of a policy is one 64-bit word. So a tree of processes can share it in shared memory and change it with one compare-and-swap. There is no lock that a killed
// member could leave behind.
#pragma once

#include <cstdint>

#include "tools/discnice/contract/disk_activity.hpp"
#include "tools/discnice/contract/grant.hpp"
#include "tools/discnice/contract/verdict.hpp"

namespace discnice::policy {

/// The shared word. For rate_window it is the instant at which all admitted disk work will be paid for.
struct State {
  std::uint64_t paid_until_ns = 0;
};

/// The answer of a policy: the state after the operation was admitted, and the instant at which the operation may start.
struct Decision {
  State next;
  Verdict verdict;
};

/// A policy has a name, a description and pure functions. It is thread-safe and fork-safe because it keeps no data.
struct Policy {
  const char* name;
  const char* summary;
  bool needs_rate;
  /// Admits an operation of `cost_bytes` at `now_ns`.
  Decision (*admit)(State state, const Grant& grant, std::uint64_t cost_bytes, std::uint64_t now_ns);
  /// Corrects the account afterwards. A positive value means that the disk moved more than was admitted.
  State (*correct)(State state, const Grant& grant, std::int64_t correction_bytes, std::uint64_t now_ns);
  /// Null for a policy that does not look at the disk. Otherwise it decides whether an operation of `cost_bytes` may go beside the disk's other users. `last_go` is the instant
  /// at which the job's last operation went. The answer is asked for anew until its instant has come; only then does the state become `next`.
  Decision (*hold)(State last_go, const Grant& grant, const DiskActivity& activity, std::uint64_t cost_bytes,
                   std::uint64_t now_ns);
};

}  // namespace discnice::policy
