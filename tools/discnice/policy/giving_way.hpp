// SPDX-License-Identifier: MIT
// giving_way: changes the pace of `nice` and the preemption interval of `idle`, when other users were seen at the disk and when none were
// seen.
//
// The pace: each look that sees others halves the pace. The pace grows by a constant when the others have been away for longer than a program thinks between two
// requests, and for longer than the preemption interval. After a second without others it is unlimited.
// The preemption interval is how long the disk must have been quiet before the job takes it for idle. When a foreground comes back soon after that, it
// had only paused. Then the interval doubles, up to a bound. It shrinks again when the job has used the disk alone for a while (Eggert & Touch, SOSP
// 2005). The interval begins at twice the time of a random read. That time is the time measured on this disk. Without a measurement, the interval
// begins with the time of a mechanical disk, and the job learns the disk's time from its own small reads while nobody else uses the disk. Large
// requests do not count, because in a stream the head stays where it is.
// What breaks it: small direct reads in order, which are not random. The interval then starts too short, and grows when a foreground comes back soon.
// policy/foreground.hpp tells by the disk's counters whether others are there, and policy/pressure.hpp tells it without counters.
#pragma once

#include <cstdint>

#include "tools/discnice/contract/disk_activity.hpp"
#include "tools/discnice/contract/grant.hpp"
#include "tools/discnice/policy/disk_speed.hpp"

namespace discnice::policy {

/// At this pace and above, no operation is held back.
inline constexpr std::uint64_t kPaceUnlimited = UINT64_C(1) << 40;
/// The slowest pace of `nice`. policy/floor.hpp gives the job a higher pace in any case.
inline constexpr std::uint64_t kPaceMin = 64 * 1024;
/// Bounds of the time for which the disk must have been quiet. The upper bounds are for a mechanical disk (disk_speed.hpp).
inline constexpr std::uint64_t kPreemptionMinNs = 2'000'000;
inline constexpr std::uint64_t kPreemptionMaxNs = 100'000'000;
/// The upper bound while another program writes and waits for its writes. On a slow card the job's writes make each fsync of that program longer, and
/// the program is seen only when its fsync has ended.
inline constexpr std::uint64_t kPreemptionBesideWriterMaxNs = 400'000'000;
/// The bound for this disk.
inline std::uint64_t preemption_max_ns(const DiskActivity& activity, std::uint64_t of_mechanical_ns) {
  const std::uint64_t here_ns = on_this_disk(activity, of_mechanical_ns);
  return here_ns > kPreemptionMinNs ? here_ns : kPreemptionMinNs;
}

/// The facts about the others at a look that has seen them.
struct Sighting {
  std::uint64_t latency_ns = 0;         // the mean time of the reads between the two looks; 0 = not known
  unsigned halvings = 1;                // how often the pace is halved
  std::uint64_t preemption_min_ns = 0;  // the interval becomes at least as long as this
};

/// Returns the state at the beginning. `is_busy` says that a first look has seen others.
void begin_watching(DiskActivity& after, const Grant& grant, bool is_busy, std::uint64_t now_ns);

/// Returns the state after others were seen since `before`.
void give_way(const DiskActivity& before, DiskActivity& after, const Sighting& sighting, const Grant& grant,
              std::uint64_t now_ns);

/// Returns the state after no others were seen since `before`.
void come_back(const DiskActivity& before, DiskActivity& after, const Grant& grant, std::uint64_t now_ns);

/// Changes the interval in proportion to its base, because the disk's time may now be known more exactly.
void follow_base(const DiskActivity& before, DiskActivity& after, const Grant& grant);

}  // namespace discnice::policy
