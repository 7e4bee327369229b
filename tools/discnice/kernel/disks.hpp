// SPDX-License-Identifier: MIT
// disks: the disks that this job uses, and what the job moves on each of them.
//
// The disk of a file system is the whole disk below it, for which the kernel has counters. When the kernel counts no such disk, the file system's own
// device is used instead.
#pragma once

#include <cstdint>

#include "tools/discnice/descriptor/devices.hpp"
#include "tools/discnice/job/job.hpp"

namespace discnice::guest {

/// The job's entry of that device, made when there is none. Null when the entry cannot be made. The disk is also remembered: corrections without a device of their own go to
/// the disk used last.
protocol::Disk* disk_of(Job& job, Device& device);

/// The disk that this process used last; null if it has used no disk.
protocol::Disk* last_disk();

/// Adds the job's own traffic on that disk. A correction may be negative. A null disk is ignored.
void book_own_traffic(const Job& job, protocol::Disk* disk, std::int64_t read_bytes,
                      std::int64_t write_bytes);

/// Counts that a call which brings data to the disk begins or ends.
void book_sync(const Job& job, protocol::Disk& disk);

/// The place of the disk in the job's table.
inline unsigned place_of(const Job& job, const protocol::Disk& disk) {
  return static_cast<unsigned>(&disk - job.segment->disks);
}

}  // namespace discnice::guest
