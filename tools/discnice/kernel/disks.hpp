// SPDX-License-Identifier: MIT
// disks: the disks that this job uses, and what it moves on each.
//
// A file system's disk is the whole disk below it, as the kernel counts it; where none is counted, the file system's own device stands for it.
#pragma once

#include <cstdint>

#include "tools/discnice/descriptor/devices.hpp"
#include "tools/discnice/job/job.hpp"

namespace discnice::guest {

/// The job's entry of that device, made when there is none; null when it can't be had. Also remembers it as the disk that
/// corrections without a device of their own belong to.
protocol::Disk* disk_of(Job& job, Device& device);

/// The disk last used by this process; null before the first.
protocol::Disk* last_disk();

/// Adds to the counters of the disk what the job itself moved there. A correction may be below zero. If `disk` is null, nothing is counted.
void book_own_traffic(const Job& job, protocol::Disk* disk, std::int64_t read_bytes,
                      std::int64_t write_bytes);

/// Counts that a call which brings data to the disk begins or ends.
void book_sync(const Job& job, protocol::Disk& disk);

/// The index of this disk among the job's disks.
inline unsigned place_of(const Job& job, const protocol::Disk& disk) {
  return static_cast<unsigned>(&disk - job.segment->disks);
}

}  // namespace discnice::guest
