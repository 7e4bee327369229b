// SPDX-License-Identifier: MIT
// grant: how much a job may use, as set by the user or the daemon.
#pragma once

#include <cstdint>

namespace discnice {

/// Bits of Grant::flags.
inline constexpr std::uint32_t kPaused = 1;  // no operation that needs the disk may start
inline constexpr std::uint32_t kHeldByGroup =
    2;  // the kernel holds it, by a control group: a rate and nothing else

/// When writes are brought to the disk in paced steps, instead of being left to the kernel's flusher.
enum class SmoothWrites : std::uint32_t { automatic = 0, on = 1, off = 2 };

/// What happens to the pages that a job brings into the page cache.
enum class CacheUse : std::uint32_t {
  automatic = 0,  // neutral where the policy gives way to others, else shared (policy/cache_use.hpp)
  neutral = 1,    // what it used once goes
  own = 2,        // the same, beyond so many bytes
  shared = 3,     // they stay until the kernel wants their memory
};

/// The limits a policy works with. A plain value, copied out of shared memory as a whole. A limit of 0 is none.
struct Grant {
  std::uint32_t policy_id = 0;  // index into the registry of policy/registry.hpp
  std::uint32_t flags = 0;
  std::uint64_t rate_bytes_per_s = 0;     // disk bytes read plus written
  std::uint64_t window_ns = 100'000'000;  // the burst: how much unused time may be made up for
  std::uint64_t read_rate_bytes_per_s = 0;
  std::uint64_t write_rate_bytes_per_s = 0;
  std::uint64_t operations_per_s = 0;
  std::uint64_t rate_min_bytes_per_s = 0;  // of a job that gives way: what it gets however busy the disk is
  std::uint64_t preemption_ns = 0;         // how long the disk must have been quiet; 0 = adapts
  std::uint64_t random_read_ns = 0;  // this disk's measured time, put in for each look; 0 = not measured
  std::uint32_t weight = 1;          // of `share`
  SmoothWrites smooth_writes = SmoothWrites::automatic;
  std::uint64_t own_cache_bytes = 0;  // of CacheUse::own
  CacheUse cache = CacheUse::automatic;
  std::uint32_t reserved = 0;
};

}  // namespace discnice
