// SPDX-License-Identifier: MIT
// disks: the disks that this job uses, and how many bytes it moves on each.
//
// The disk of a file system is the whole disk below it, whose counters the kernel keeps. If no such disk is known, the file system's own device stands for it.
#pragma once

#include <cstdint>

#include "tools/discnice/descriptor/devices.hpp"
#include "tools/discnice/job/job.hpp"

namespace discnice::guest {

/// The job's entry for the device, made if there is none; null if that is impossible. The entry is also remembered as the disk for corrections that belong to no known device.
protocol::Disk* disk_of(Job& job, Device& device);

/// The disk that this process used last; null if it has used none.
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
