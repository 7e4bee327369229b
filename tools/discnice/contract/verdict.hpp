// SPDX-License-Identifier: MIT
// verdict: the instant at which an operation may start.
#pragma once

#include <cstdint>

namespace discnice {

/// The instant (CLOCK_MONOTONIC, ns) before which the operation should not reach the disk; 0 = at once.
struct Verdict {
  std::uint64_t start_at_ns = 0;
};

}  // namespace discnice
