// SPDX-License-Identifier: MIT
// measured_reads: the measured time of a random read for each disk of this host, from the repository of host parameters. Policies use it. Each entry
// is one word, so that a reader gets it as one value while the launcher publishes it.
#pragma once

#include <atomic>
#include <cstdint>

#include "tools/discnice/protocol/layout.hpp"

namespace discnice::protocol {

/// A disk as outputs/disk_counters.hpp numbers it. The number 0 means every disk that has no entry of its own.
struct MeasuredRead {
  std::uint64_t disk = 0;
  std::uint64_t random_read_ns = 0;
};

/// No random read takes longer. A longer time means damaged memory or no measurement.
inline constexpr std::uint64_t kMeasuredReadMaxNs = 1'000'000'000;
inline constexpr std::uint64_t kMeasuredReadUnitNs = 1000;

/// Stores the measurement at that place. A measurement that does not fit into a word is left out.
inline void publish_measured_read(Segment& segment, unsigned place, const MeasuredRead& read) {
  const std::uint64_t units = read.random_read_ns / kMeasuredReadUnitNs;
  if (place >= kMeasuredReadsMax || read.disk > UINT32_MAX || units == 0 ||
      read.random_read_ns > kMeasuredReadMaxNs)
    return;
  segment.measured_reads[place].store(read.disk << 32 | units, std::memory_order_relaxed);
}

/// The measured time for the disk; 0 when nothing was measured.
inline std::uint64_t measured_read_ns(const Segment& segment, std::uint64_t disk) {
  std::uint64_t of_any_ns = 0;
  for (const auto& entry : segment.measured_reads) {
    const std::uint64_t word = entry.load(std::memory_order_relaxed);
    const std::uint64_t ns = (word & UINT32_MAX) * kMeasuredReadUnitNs;
    if (ns > kMeasuredReadMaxNs) continue;
    if (word >> 32 == disk && disk != 0 && ns != 0) return ns;
    if (word >> 32 == 0 && ns != 0) of_any_ns = ns;
  }
  return of_any_ns;
}

}  // namespace discnice::protocol
