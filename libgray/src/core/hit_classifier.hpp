// SPDX-License-Identifier: MIT
// hit_classifier: decides whether a timed one-byte read was answered from the page cache.
//
// Knowledge assumed: copying from the page cache takes well under the time of the fastest disk.
// Output observed: the time of a first read of a page and of a second read of the same page right after,
// which is certainly a hit.
// Inference drawn: the first read missed if it was slower both by a ratio and by an amount. With the ratio alone, cold processor caches would give wrong
// results. With the amount alone, a slow machine would.
// What breaks it: a device nearly as fast as memory, for which an error hardly matters. Preemption between the two readings of the clock: the detector checks
// whether the thread slept, and uses the faster of two certain hits. Where reads bypass the page cache (FUSE with direct_io, some network file systems), the
// "certain hit" is as slow as the first read, so the first read would look like a hit. is_hit_credible() excludes that case.
#pragma once

#include <cstdint>

namespace gray::core {

/// A first read missed if it is this many times slower than the certain hit, and also slower by this amount. Measured on virtual
/// machines with flash: hits of 0.3 to 4 us with cold processor caches, misses from 40 us.
inline constexpr std::uint64_t kMissRatio = 6;
inline constexpr std::uint64_t kMissExcessNs = 10'000;

/// The longest time of a hit, when a certain hit takes `certain_hit_ns`. A longer read missed. Pure.
constexpr std::uint64_t threshold_by_hit(std::uint64_t certain_hit_ns) {
  const std::uint64_t by_ratio = certain_hit_ns * kMissRatio;
  const std::uint64_t by_excess = certain_hit_ns + kMissExcessNs;
  return by_ratio > by_excess ? by_ratio : by_excess;
}

/// Whether a probe missed, compared with the certain hit that followed it. Pure.
constexpr bool is_miss(std::uint64_t probe_ns, std::uint64_t certain_hit_ns) {
  return probe_ns > threshold_by_hit(certain_hit_ns);
}

/// A "certain hit" slower than this did not come from the page cache. A repeated one-byte read takes a system call and a
/// copy, 3 us on slow processors. A round trip to a file server in user space or on the network takes longer.
inline constexpr std::uint64_t kCertainHitMaxNs = 20'000;

/// Whether a read that should be a certain hit can have been a hit. If not, the probe before it has no result. `has_slept`: the thread slept during the read.
/// Pure.
constexpr bool is_hit_credible(std::uint64_t certain_hit_ns, bool has_slept) {
  return !has_slept && certain_hit_ns <= kCertainHitMaxNs;
}

/// Whether a probe missed, by a measured threshold. Pure.
constexpr bool is_miss_by_threshold(std::uint64_t probe_ns, std::uint64_t hit_time_max_ns) {
  return probe_ns > hit_time_max_ns;
}

}  // namespace gray::core
