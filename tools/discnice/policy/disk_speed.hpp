// SPDX-License-Identifier: MIT
// disk_speed: how long others wait for a request at this disk, and by how much the times that suit a mechanical disk are shortened where that is less.
//
// Giving way costs the job time, and spares others the time that a request of the job's takes. On a mechanical disk that is some ten milliseconds, on flash a
// hundredth of it. A job that kept still as long for the one as for the other got a hundredth of a fast disk's speed beside somebody who calls fsync() five
// times a second, and spared him nothing.
//
// Knowledge assumed: the disk's counters add up how long its requests took, in whole milliseconds (Documentation/admin-guide/iostats.rst). So a request
//   of a tenth of a millisecond shows as 0 nine times of ten, and as 1 once: the mean is right.
// Output observed: at each look, the mean time of small reads, of writes, and of the flushes of the disk's cache, whoever made them.
// Inference drawn: of each kind a time that most looks are below of, for it rises faster than it falls, that of writes much faster. The longest of the three is what
//   others wait. Until small reads were seen, and a write if the job has written, it is that of a mechanical disk.
// What breaks it: reads that the disk's own memory serves, many in a row. Virtual disks whose host is a mechanical disk with much memory.
#pragma once

#include <cstdint>

#include "tools/discnice/contract/disk_activity.hpp"
#include "tools/discnice/contract/grant.hpp"

namespace discnice::policy {

/// Without a measured time of a random read: a turn and a seek of an ordinary mechanical disk.
inline constexpr std::uint64_t kRandomReadNs = 8'000'000;

/// The time of a random read as far as it is known of the disk.
constexpr std::uint64_t random_read_ns(const DiskActivity& activity) {
  return activity.random_read_ns != 0 ? activity.random_read_ns : kRandomReadNs;
}

/// Nobody else read since `before`: what our own reads tell of the disk's time for a random one. Pure.
void learn_random_read(const DiskActivity& before, DiskActivity& after);

/// What the requests since `before`, anybody's, tell of how long one waits here. Pure.
void learn_waits(const DiskActivity& before, DiskActivity& after, const Grant& grant);

/// A time that suits a mechanical disk, as it suits this one: shorter, where others wait less for a request. Pure.
std::uint64_t on_this_disk(const DiskActivity& activity, std::uint64_t mechanical_ns);

/// Counters that go back are a new beginning.
constexpr std::uint64_t growth(std::uint64_t now, std::uint64_t before) {
  return now > before ? now - before : 0;
}

}  // namespace discnice::policy
