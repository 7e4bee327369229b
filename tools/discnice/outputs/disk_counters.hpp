// SPDX-License-Identifier: MIT
// disk_counters: reads the counters of a block device.
//
// Host-safe: raw system calls, no heap, no descriptor kept. The members of a job, the daemon and the command all use it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tools/discnice/contract/disk_activity.hpp"

namespace discnice::outputs {

/// Reads the text of /sys/block/DEVICE/stat. False if the text has another form. Pure.
bool parse_disk_sample(const char* text, std::size_t length, DiskSample* sample);

/// The first number of /sys/block/DEVICE/inflight: how many reads are under way. Pure.
std::uint32_t parse_reads_in_flight(const char* text, std::size_t length);

/// The disk whose counters show the traffic of that block device (as in st_dev). It is the device itself, or for a partition the whole disk, because one head serves all
/// partitions. 0 if there are no counters.
std::uint64_t counted_disk(std::uint64_t device);

/// Reads the counters of a disk that counted_disk() has returned.
bool read_disk_sample(std::uint64_t disk, DiskSample* sample);

}  // namespace discnice::outputs
