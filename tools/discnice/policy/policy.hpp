// SPDX-License-Identifier: MIT
// policy: may this operation go now? Pure functions of (state, grant, cost, now); nothing here sleeps or
// looks around.
//
// The whole state of a policy is one 64-bit word, so that a tree of processes can share it in shared memory
// and change it with one compare-and-swap: no lock that a killed member could leave behind.
#pragma once

#include <cstdint>

#include "tools/discnice/contract/disk_activity.hpp"
#include "tools/discnice/contract/grant.hpp"
#include "tools/discnice/contract/verdict.hpp"

namespace discnice::policy {

/// The shared word. For rate_window it is the instant up to which the disk work admitted so far is paid for.
struct State {
  std::uint64_t paid_until_ns = 0;
};

/// What a policy answers: the state after admitting the operation, and when the operation may start.
struct Decision {
  State next;
  Verdict verdict;
};

/// A policy: named, described, pure functions. Thread- and fork-safe because they keep nothing.
struct Policy {
  const char* name;
  const char* summary;
  bool needs_rate;
  /// Admits an operation of `cost_bytes` at `now_ns`.
  Decision (*admit)(State state, const Grant& grant, std::uint64_t cost_bytes, std::uint64_t now_ns);
  /// Corrects the account afterwards: positive = the disk did more than was admitted.
  State (*correct)(State state, const Grant& grant, std::int64_t correction_bytes, std::uint64_t now_ns);
  /// Null for a policy that does not look at the disk. Else: may an operation of `cost_bytes` go, given the disk's other
  /// users? `last_go` is the instant at which the job's last operation went. The answer is asked for anew until its instant
  /// has come; only then does the state become `next`.
  Decision (*hold)(State last_go, const Grant& grant, const DiskActivity& activity, std::uint64_t cost_bytes,
                   std::uint64_t now_ns);
};

}  // namespace discnice::policy
