// SPDX-License-Identifier: MIT
// disk_counters: reads the counters of a block device.
//
// Safe inside the program that loads the library: the code makes raw system calls, uses no heap, and leaves no descriptor open.
// The members of a job, the daemon and the command all use this code.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tools/discnice/contract/disk_activity.hpp"

namespace discnice::outputs {

/// Reads the text of /sys/block/DEVICE/stat. Returns false when the text has another form. Pure.
bool parse_disk_sample(const char* text, std::size_t length, DiskSample* sample);

/// The first number of /sys/block/DEVICE/inflight: the reads that are under way. Pure.
std::uint32_t parse_reads_in_flight(const char* text, std::size_t length);

/// The disk whose counters count that block device (as in st_dev): the device itself, or for a partition its whole disk, because one head serves all
/// partitions. 0 when there are no counters.
std::uint64_t counted_disk(std::uint64_t device);

/// Reads the counters of a disk that counted_disk() returned.
bool read_disk_sample(std::uint64_t disk, DiskSample* sample);

}  // namespace discnice::outputs
