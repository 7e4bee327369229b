// SPDX-License-Identifier: MIT
// disk_speed: measures how long others wait for a request at this disk. When this wait is short, disk_speed shortens the waiting times
// of the policies, which are set for a mechanical disk.
//
// Giving way costs the job time. It saves the others the time of one request of the job: some ten milliseconds on a mechanical disk, and a hundredth of that on
// flash. When the job waited as long on flash as on a mechanical disk, it got a hundredth of a fast disk's speed while another program called fsync() five
// times a second. That program gained nothing by it.
//
// Knowledge assumed: the disk's counters add up how long its requests took, in whole milliseconds (Documentation/admin-guide/iostats.rst). A request
//   of a tenth of a millisecond counts as 0 nine times of ten and as 1 once, so the mean is right.
// Output observed: at each look, the mean time of small reads, of writes, and of flushes of the disk's cache. All programs' requests count.
// Inference drawn: for each of the three kinds, a time that is longer than most looks show. The learned time rises faster than it falls, and the time
//   of writes rises much faster. The longest of the three times is used as the wait of others. The time of a mechanical disk is used until small
//   reads were seen, and also a write if the job has written.
// What breaks it: many reads in a row that the disk's own memory serves; virtual disks
//   whose host has a mechanical disk and much memory.
#pragma once

#include <cstdint>

#include "tools/discnice/contract/disk_activity.hpp"
#include "tools/discnice/contract/grant.hpp"

namespace discnice::policy {

/// The time of a random read when none was measured: a turn and a seek of an ordinary mechanical disk.
inline constexpr std::uint64_t kRandomReadNs = 8'000'000;

/// The time of a random read on this disk, as far as it is known.
constexpr std::uint64_t random_read_ns(const DiskActivity& activity) {
  return activity.random_read_ns != 0 ? activity.random_read_ns : kRandomReadNs;
}

/// To be called when nobody else has read since `before`. Learns from the job's own reads how long a random read takes
/// on this disk. Pure.
void learn_random_read(const DiskActivity& before, DiskActivity& after);

/// Learns from the requests of all programs since `before` how long a request waits on this disk. Pure.
void learn_waits(const DiskActivity& before, DiskActivity& after, const Grant& grant);

/// Converts a time that suits a mechanical disk into a time that suits this disk. The result is shorter where others wait
/// less for a request. Pure.
std::uint64_t on_this_disk(const DiskActivity& activity, std::uint64_t mechanical_ns);

/// How far a counter has grown. A counter that goes back was restarted, and counts as not grown.
constexpr std::uint64_t growth(std::uint64_t now, std::uint64_t before) {
  return now > before ? now - before : 0;
}

}  // namespace discnice::policy
