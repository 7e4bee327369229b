// SPDX-License-Identifier: MIT
// lumps: spends a rate in a few large portions while others use the disk.
//
// Knowledge assumed: on a mechanical disk the seek to another place and back takes the time, and the amount that is read there hardly matters. The
//   disk's queue lets a stream go straight on before it seeks elsewhere.
// Output observed: policy/foreground.hpp.
// Inference drawn: when the bytes of a second are read in one portion, others lose a fraction of the time that they lose when the same bytes are read
//   in single windows of read-ahead. So an operation that has to wait for its rate waits until half a portion has been saved up. The operations after
//   it use that half, and then the other half ahead of time. The average stays. Without others at the disk nothing changes.
// What breaks it: a job whose operations are scattered over the disk. For such a job the portions have no advantage and no disadvantage.
#pragma once

#include <cstdint>

#include "tools/discnice/contract/disk_activity.hpp"
#include "tools/discnice/contract/grant.hpp"

namespace discnice::policy {

/// The size of a portion: its transfer takes long compared with a seek, and is short for a person who waits.
inline constexpr std::uint64_t kLumpBytes = UINT64_C(2) << 20;
/// No operation waits for a portion longer than half of this time.
inline constexpr std::uint64_t kLumpMaxNs = 250'000'000;
/// Others count as using the disk for this time after their last request.
inline constexpr std::uint64_t kLumpMemoryNs = 100'000'000;
/// Saved bytes are kept for this time after the others stop, also while a write waits for the disk.
inline constexpr std::uint64_t kSavedMemoryNs = 1'000'000'000;
inline constexpr std::uint64_t kSavedMaxNs = 500'000'000;

inline bool was_shared_within(std::uint64_t memory_ns, const DiskActivity& activity, std::uint64_t now_ns) {
  if (activity.foreground_at_ns == 0) return false;
  return now_ns <= activity.foreground_at_ns || now_ns - activity.foreground_at_ns <= memory_ns;
}

/// The time for which a job saves up its rate before it goes on; 0 while it has the disk for itself. Pure.
inline std::uint64_t lump_ns(std::uint64_t rate_bytes_per_s, const DiskActivity& activity,
                             std::uint64_t now_ns) {
  if (rate_bytes_per_s == 0 || !was_shared_within(kLumpMemoryNs, activity, now_ns)) return 0;
  const std::uint64_t whole_ns = kLumpBytes * UINT64_C(1'000'000'000) / rate_bytes_per_s;
  return whole_ns < kLumpMaxNs ? whole_ns : kLumpMaxNs;
}

/// How many of the saved bytes may still be used; 0 when the job has had the disk for itself for a while. Pure.
inline std::uint64_t saved_ns_max(const DiskActivity& activity, std::uint64_t now_ns) {
  return was_shared_within(kSavedMemoryNs, activity, now_ns) ? kSavedMaxNs : 0;
}

}  // namespace discnice::policy
