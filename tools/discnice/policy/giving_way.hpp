// SPDX-License-Identifier: MIT
// giving_way: how the pace of `nice` and the preemption interval of `idle` change when others were seen at the disk, and when no others were seen.
//
// The pace: each look that sees others halves it. The pace grows by a constant when others have been away for longer than the usual pause of a program between two requests, and
// for longer than the preemption interval. After a second without others it is unlimited.
// The preemption interval is how long the disk must have been quiet before we take it for idle. When a foreground comes back soon after that, it had only
//   paused: then the interval doubles, up to a bound. It shrinks again when the disk has been ours for a while (Eggert & Touch, SOSP 2005).
// The interval begins at twice the time of a random read. That time is the one measured of this disk. Where none was measured, the job's own small reads
//   show it while nobody else is there, and it begins with the time of a mechanical disk. Large requests do not count: in a stream the head stays where it is.
// What breaks it: small direct reads in order, which are not random. The interval then starts too short, and grows as above.
// policy/foreground.hpp tells by the disk's counters whether others are there, and policy/pressure.hpp without counters.
#pragma once

#include <cstdint>

#include "tools/discnice/contract/disk_activity.hpp"
#include "tools/discnice/contract/grant.hpp"
#include "tools/discnice/policy/disk_speed.hpp"

namespace discnice::policy {

/// From this pace on nothing is held back.
inline constexpr std::uint64_t kPaceUnlimited = UINT64_C(1) << 40;
/// The slowest pace of `nice`. The floor keeps the job above it anyway.
inline constexpr std::uint64_t kPaceMin = 64 * 1024;
/// The bounds of the time for which the disk must have been quiet. The upper bounds are those for a mechanical disk (disk_speed.hpp).
inline constexpr std::uint64_t kPreemptionMinNs = 2'000'000;
inline constexpr std::uint64_t kPreemptionMaxNs = 100'000'000;
/// The bound beside a program that writes and waits for its writes. On a slow card, writes of the job in between make each fsync of that program longer, and an fsync is seen
/// only when it has ended.
inline constexpr std::uint64_t kPreemptionBesideWriterMaxNs = 400'000'000;
/// Such a bound for this disk.
inline std::uint64_t preemption_max_ns(const DiskActivity& activity, std::uint64_t of_mechanical_ns) {
  const std::uint64_t here_ns = on_this_disk(activity, of_mechanical_ns);
  return here_ns > kPreemptionMinNs ? here_ns : kPreemptionMinNs;
}

/// How others were noticed.
struct Sighting {
  std::uint64_t latency_ns = 0;         // the mean time of the requests in between; 0 = not known
  unsigned halvings = 1;                // of the pace
  std::uint64_t preemption_min_ns = 0;  // an interval that is no shorter
};

/// The start, when nothing is known yet. `is_busy` says whether a first look found others.
void begin_watching(DiskActivity& after, const Grant& grant, bool is_busy, std::uint64_t now_ns);

/// The change if others were seen since `before`.
void give_way(const DiskActivity& before, DiskActivity& after, const Sighting& sighting, const Grant& grant,
              std::uint64_t now_ns);

/// The change if no others were seen.
void come_back(const DiskActivity& before, DiskActivity& after, const Grant& grant, std::uint64_t now_ns);

/// Bases the interval from now on the known time of a random read.
void follow_base(const DiskActivity& before, DiskActivity& after, const Grant& grant);

}  // namespace discnice::policy
