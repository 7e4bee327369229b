// SPDX-License-Identifier: MIT
// disk_counters: reads what a block device has counted.
//
// Host-safe: raw system calls, no heap, no descriptor kept. Members of a job, the daemon and the command all read by it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tools/discnice/contract/disk_activity.hpp"

namespace discnice::outputs {

/// Reads the text of /sys/block/DEVICE/stat. False when it is not that. Pure.
bool parse_disk_sample(const char* text, std::size_t length, DiskSample* sample);

/// The first number of /sys/block/DEVICE/inflight: the reads of what is under way. Pure.
std::uint32_t parse_reads_in_flight(const char* text, std::size_t length);

/// The disk whose counters tell of that block device (as in st_dev): the device itself, and of a partition the whole disk, for its one
/// head serves all of them. 0 when there are none.
std::uint64_t counted_disk(std::uint64_t device);

/// Reads the counters of a disk that counted_disk() named.
bool read_disk_sample(std::uint64_t disk, DiskSample* sample);

}  // namespace discnice::outputs
