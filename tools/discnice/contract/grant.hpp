// SPDX-License-Identifier: MIT
// grant: what a job may use, as the user or the daemon has set it.
#pragma once

#include <cstdint>

namespace discnice {

/// Bits of Grant::flags.
inline constexpr std::uint32_t kPaused = 1;  // no operation that needs the disk may start
inline constexpr std::uint32_t kHeldByGroup =
    2;  // the kernel holds the job, by a control group: only by a rate

/// When writes are brought to the disk in paced steps instead of being left to the kernel's flusher.
enum class SmoothWrites : std::uint32_t { automatic = 0, on = 1, off = 2 };

/// What happens to the pages that a job brings into the page cache.
enum class CacheUse : std::uint32_t {
  automatic = 0,  // neutral if the policy gives way to others, else shared (policy/cache_use.hpp)
  neutral = 1,    // pages that the job has used once are dropped
  own = 2,        // the same, but only beyond own_cache_bytes
  shared = 3,     // the pages stay until the kernel wants their memory
};

/// The limits with which a policy works. A plain value, copied out of shared memory as a whole. A limit of 0 means no limit.
struct Grant {
  std::uint32_t policy_id = 0;  // index into the registry of policy/registry.hpp
  std::uint32_t flags = 0;
  std::uint64_t rate_bytes_per_s = 0;     // disk bytes read plus written
  std::uint64_t window_ns = 100'000'000;  // the burst: how much unused time may be made up for
  std::uint64_t read_rate_bytes_per_s = 0;
  std::uint64_t write_rate_bytes_per_s = 0;
  std::uint64_t operations_per_s = 0;
  std::uint64_t rate_min_bytes_per_s =
      0;                             // for a job that gives way: the rate it gets however busy the disk is
  std::uint64_t preemption_ns = 0;   // how long the disk must have been quiet; 0 = adapts
  std::uint64_t random_read_ns = 0;  // this disk's measured time, filled in for each look; 0 = not measured
  std::uint32_t weight = 1;          // the job's weight under `share`
  SmoothWrites smooth_writes = SmoothWrites::automatic;
  std::uint64_t own_cache_bytes = 0;  // the room of CacheUse::own
  CacheUse cache = CacheUse::automatic;
  std::uint32_t net_gives_way = 0;         // 1: the job's TCP connections give way to others on their paths
  std::uint64_t net_up_bytes_per_s = 0;    // for the sum that all connections send
  std::uint64_t net_down_bytes_per_s = 0;  // for the sum that all connections receive
};

}  // namespace discnice
