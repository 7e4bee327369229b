// SPDX-License-Identifier: MIT
// disk_speed: how long others wait for a request at this disk. If they wait for less time than at a mechanical disk, times that suit a mechanical disk are shortened by the same
// factor.
//
// Giving way costs the job time, and saves others the time of one of the job's requests. On a mechanical disk that is some ten milliseconds, on flash a hundredth of it. A job
// that waited as long on flash as on a mechanical disk got a hundredth of the flash disk's speed beside a program that calls fsync() five times a second, and saved that program
// nothing.
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

/// The assumed time of a random read if none was measured: a turn and a seek of an ordinary mechanical disk.
inline constexpr std::uint64_t kRandomReadNs = 8'000'000;

/// The time of a random read, as far as it is known for the disk.
constexpr std::uint64_t random_read_ns(const DiskActivity& activity) {
  return activity.random_read_ns != 0 ? activity.random_read_ns : kRandomReadNs;
}

/// To be called if nobody else has read since `before`: returns what the job's own reads tell of the time of a random read. Pure.
void learn_random_read(const DiskActivity& before, DiskActivity& after);

/// What all requests since `before` tell of the time that a request waits here. Pure.
void learn_waits(const DiskActivity& before, DiskActivity& after, const Grant& grant);

/// Converts a time that suits a mechanical disk into one that suits this disk: it is shorter if others wait less for a request. Pure.
std::uint64_t on_this_disk(const DiskActivity& activity, std::uint64_t mechanical_ns);

/// Counters that go back mean a new beginning.
constexpr std::uint64_t growth(std::uint64_t now, std::uint64_t before) {
  return now > before ? now - before : 0;
}

}  // namespace discnice::policy
