// SPDX-License-Identifier: MIT
// disks: finds the whole disks on which files lie. The kernel throttles whole disks.
//
// Knowledge assumed: limits are set on whole disks, not on partitions. The traffic of a stacked device (LVM, RAID, dm-crypt, a loop device) is counted on that
//   device, and once more on the device below it, for the same group. /sys/dev/block/N/slaves and loop/backing_file name the device below.
//   /sys/fs/btrfs/ID/devices lists all devices of a file system.
// What breaks it: a loop device whose file this mount namespace cannot see. Its disk then counts as a further disk that the job
//   uses.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace discnice::cgroup {

/// Where a file lies. A file in memory has no disks. When this host has no disk for a file, the list is empty and a reason is given.
struct FileDisks {
  std::vector<std::uint64_t> disks;
  std::string type;              // the type of the file system
  bool is_out_of_reach = false;  // the file has a disk, but no disk that the kernel could hold to a rate
};

FileDisks disks_of_file(const std::string& path);

/// The disks below a stacked device, and the disks below these disks.
std::vector<std::uint64_t> disks_below(std::uint64_t disk);

/// The number as text, such as "8:0".
std::string number_of(std::uint64_t disk);
/// The disk that a text such as "8:0" names; 0 when the text does not name a disk.
std::uint64_t disk_of(const std::string& number);

}  // namespace discnice::cgroup
