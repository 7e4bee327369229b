// SPDX-License-Identifier: MIT
// verdict: the instant at which an operation may start.
#pragma once

#include <cstdint>

namespace discnice {

/// The operation should not reach the disk before this instant (CLOCK_MONOTONIC, ns); 0 means at once.
struct Verdict {
  std::uint64_t start_at_ns = 0;
};

}  // namespace discnice
