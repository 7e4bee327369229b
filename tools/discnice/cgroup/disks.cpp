// SPDX-License-Identifier: MIT
#include "tools/discnice/cgroup/disks.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "tools/discnice/cgroup/place.hpp"
#include "tools/discnice/outputs/disk_below.hpp"
#include "tools/discnice/outputs/disk_counters.hpp"

namespace discnice::cgroup {
namespace {

namespace fs = std::filesystem;

#ifndef FUSE_SUPER_MAGIC
#define FUSE_SUPER_MAGIC 0x65735546
#endif

bool has(const std::vector<std::uint64_t>& disks, std::uint64_t disk) {
  return std::find(disks.begin(), disks.end(), disk) != disks.end();
}

// Returns the disk of the device that /sys describes in this folder.
std::uint64_t disk_in(const fs::path& folder) {
  const std::uint64_t device = disk_of(read_text((folder / "dev").string()));
  return device == 0 ? 0 : outputs::counted_disk(device);
}

// Adds all other disks of a btrfs that has one of these disks.
void add_siblings(std::vector<std::uint64_t>& disks) {
  std::error_code error;
  for (const auto& one : fs::directory_iterator("/sys/fs/btrfs", error)) {
    std::vector<std::uint64_t> all;
    for (const auto& device : fs::directory_iterator(one.path() / "devices", error))
      if (const std::uint64_t disk = disk_in(device.path()); disk != 0 && !has(all, disk))
        all.push_back(disk);
    if (has(all, disks.front())) disks = all;
  }
}

std::string type_name(const struct statfs& status) {
  switch (static_cast<unsigned long>(status.f_type)) {
    case NFS_SUPER_MAGIC:
      return "nfs";
    case FUSE_SUPER_MAGIC:
      return "fuse";
    case OVERLAYFS_SUPER_MAGIC:
      return "overlay";
    case TMPFS_MAGIC:
      return "tmpfs";
    default:
      return fmt::format("a file system of type {:#x}", static_cast<unsigned long>(status.f_type));
  }
}

bool is_in_memory(const struct statfs& status) {
  switch (static_cast<unsigned long>(status.f_type)) {
    case TMPFS_MAGIC:
    case RAMFS_MAGIC:
    case PROC_SUPER_MAGIC:
    case SYSFS_MAGIC:
    case DEVPTS_SUPER_MAGIC:
    case HUGETLBFS_MAGIC:
    case CGROUP2_SUPER_MAGIC:
      return true;
    default:
      return false;
  }
}

// Used for files whose device number is not the number of a disk.
std::uint64_t disk_below_file(const std::string& path) {
  const int fd = open(path.c_str(), O_PATH | O_CLOEXEC);
  if (fd < 0) return 0;
  std::uint64_t mount_id = 0;
  const std::uint64_t disk = outputs::find_mount_id(fd, &mount_id) ? outputs::disk_below(mount_id) : 0;
  close(fd);
  return disk;
}

void add_below(std::uint64_t disk, std::vector<std::uint64_t>& found) {
  const fs::path folder = "/sys/dev/block/" + number_of(disk);
  std::vector<std::uint64_t> below;
  std::error_code error;
  for (const auto& slave : fs::directory_iterator(folder / "slaves", error))
    below.push_back(disk_in(slave.path()));
  std::string file = read_text((folder / "loop/backing_file").string());
  if (!file.empty() && file.back() == '\n') file.pop_back();
  struct stat status {};
  if (!file.empty() && stat(file.c_str(), &status) == 0) {
    const std::uint64_t counted = outputs::counted_disk(status.st_dev);
    below.push_back(counted != 0 ? counted : disk_below_file(file));
  }
  for (const std::uint64_t one : below) {
    if (one == 0 || has(found, one)) continue;
    found.push_back(one);
    add_below(one, found);
  }
}

}  // namespace

std::string number_of(std::uint64_t disk) {
  return fmt::format("{}:{}", major(disk), minor(disk));
}

std::uint64_t disk_of(const std::string& number) {
  unsigned first = 0;
  unsigned second = 0;
  return std::sscanf(number.c_str(), "%u:%u", &first, &second) == 2  // NOLINT(cert-err34-c)
             ? makedev(first, second)
             : 0;
}

FileDisks disks_of_file(const std::string& path) {
  FileDisks found;
  struct stat status {};
  struct statfs system {};
  if (stat(path.c_str(), &status) != 0 || statfs(path.c_str(), &system) != 0) return found;
  if (S_ISBLK(status.st_mode)) {
    if (const std::uint64_t disk = outputs::counted_disk(status.st_rdev); disk != 0)
      found.disks.push_back(disk);
    return found;
  }
  if (is_in_memory(system)) return found;
  std::uint64_t disk = outputs::counted_disk(status.st_dev);
  if (disk == 0) disk = disk_below_file(path);
  if (disk == 0) {
    found.is_out_of_reach = true;
    found.type = type_name(system);
    return found;
  }
  found.disks.push_back(disk);
  if (static_cast<unsigned long>(system.f_type) == BTRFS_SUPER_MAGIC) add_siblings(found.disks);
  return found;
}

std::vector<std::uint64_t> disks_below(std::uint64_t disk) {
  std::vector<std::uint64_t> found;
  add_below(disk, found);
  return found;
}

}  // namespace discnice::cgroup
