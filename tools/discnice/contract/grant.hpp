// SPDX-License-Identifier: MIT
// grant: what a job may use, as the person or the daemon set it.
#pragma once

#include <cstdint>

namespace discnice {

/// The limits a policy works with. A plain value, copied out of shared memory as a whole.
struct Grant {
  std::uint32_t policy_id = 0;  // index into the registry of policy/registry.hpp
  std::uint32_t reserved = 0;
  std::uint64_t rate_bytes_per_s = 0;       // disk bytes read plus written; 0 = no limit
  std::uint64_t window_ns = 1'000'000'000;  // N of the paper: how much unused time may be made up for
};

}  // namespace discnice
