// SPDX-License-Identifier: MIT
// disks: the whole disks below files, as the kernel throttles them.
//
// Knowledge assumed: limits are set on whole disks, not on partitions. The traffic of a stacked device (LVM, RAID, dm-crypt, a loop device) is booked on this device, and once
// more on the device below it, for the same group. /sys/dev/block/N/slaves and loop/backing_file tell what lies below. /sys/fs/btrfs/ID/devices has all devices of a file system.
// What breaks it: a loop device whose file this mount namespace cannot see; its disk is then taken for one more that the job uses.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace discnice::cgroup {

/// Where a file lies. A file in memory has no disks. If this host has no disk for the file, there are no disks and a reason.
struct FileDisks {
  std::vector<std::uint64_t> disks;
  std::string type;              // of the file system
  bool is_out_of_reach = false;  // it has a disk, and none that the kernel could hold
};

FileDisks disks_of_file(const std::string& path);

/// The disks below a stacked disk, and the disks below those.
std::vector<std::uint64_t> disks_below(std::uint64_t disk);

/// "8:0".
std::string number_of(std::uint64_t disk);
/// 0 if the text is not such a number.
std::uint64_t disk_of(const std::string& number);

}  // namespace discnice::cgroup
