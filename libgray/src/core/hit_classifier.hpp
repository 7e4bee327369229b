// SPDX-License-Identifier: MIT
// hit_classifier: was a timed one-byte read answered from the page cache?
//
// Knowledge assumed: copying from the page cache takes well under the time of the fastest disk.
// Output observed: the time of a first read of a page and of a second read of the same page right after,
// which is certainly a hit.
// Inference drawn: the first read missed when it was slower by a ratio and by an
// amount; both, because the ratio alone is fooled by the
//   first touch of cold processor caches and the amount alone by a slow machine.
// What breaks it: a device nearly as fast as memory (then it hardly matters) and preemption between the two
// readings of the clock (the detector asks whether the thread slept, and judges by the faster of two certain
// hits).
#pragma once

#include <cstdint>

namespace gray::core {

/// A first read this many times slower than the certain hit, and by this much, missed. Measured on virtual
/// machines with flash: hits of 0.3 to 4 us with cold processor caches, misses from 40 us.
inline constexpr std::uint64_t kMissRatio = 6;
inline constexpr std::uint64_t kMissExcessNs = 10'000;

/// Judges a probe against the certain hit that followed it. Pure.
constexpr bool is_miss(std::uint64_t probe_ns, std::uint64_t certain_hit_ns) {
  return probe_ns > certain_hit_ns * kMissRatio && probe_ns > certain_hit_ns + kMissExcessNs;
}

/// Judges a probe by a measured threshold. Pure.
constexpr bool is_miss_by_threshold(std::uint64_t probe_ns, std::uint64_t hit_time_max_ns) {
  return probe_ns > hit_time_max_ns;
}

}  // namespace gray::core
