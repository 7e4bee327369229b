// SPDX-License-Identifier: MIT
// disk_below: finds the block device below a file whose own device number belongs to no block device.
//
// Knowledge assumed: btrfs, overlay and other file systems give their files device numbers that belong to no block device (/proc/self/mountinfo,
//   Documentation/filesystems/proc.rst; statx() tells the mount). The table of mounts names a source. For btrfs the source is a device. For overlay
//   the table names the upper folder, which lies on another file system.
// Output observed: that table, once for each device.
// Inference drawn: the disk is the source's device, if that is a block device with counters. For overlay it is the device below the upper folder, or
//   below the first lower folder.
// What breaks it: a file system on several devices, because the table names only one device; an overlay whose folders this mount namespace
//   cannot see (in a container). The disk below such folders counts as unknown.
//
// Safe inside the program that loads the library: the code makes raw system calls, uses no heap, and leaves no descriptor open.
#pragma once

#include <cstddef>
#include <cstdint>

namespace discnice::outputs {

inline constexpr std::size_t kMountNameBytesMax = 256;

/// Takes the table of mounts piece by piece and keeps the facts about one mount. Pure.
class MountSearch {
 public:
  /// Starts to look for the mount whose number is `mount_id`.
  explicit MountSearch(std::uint64_t mount_id) : mount_id_(mount_id) {}

  void feed(const char* text, std::size_t length);

  [[nodiscard]] bool is_found() const { return is_found_; }
  /// The source that is mounted. Empty when its name is too long. The table's escapes are undone.
  [[nodiscard]] const char* source() const { return source_; }
  /// The folder where the source is mounted. Empty when the name is too long.
  [[nodiscard]] const char* point() const { return point_; }
  /// For overlay, the upper folder, or the first lower folder when there is no upper one.
  [[nodiscard]] const char* folder() const { return upper_[0] != '\0' ? upper_ : lower_; }

 private:
  void end_of_word(char end);
  void keep(char* place, std::size_t from, char end) const;

  std::uint64_t mount_id_;
  unsigned place_ = 0;       // the place of the word in its line
  unsigned dash_place_ = 0;  // the place of the dash that ends the optional fields; 0: not seen yet
  bool is_other_mount_ = false;
  bool is_found_ = false;
  std::size_t length_ = 0;  // length of the word so far; the part that has no room in word_ is not kept
  char word_[kMountNameBytesMax + 16] = {};
  char point_[kMountNameBytesMax] = {};
  char source_[kMountNameBytesMax] = {};
  char upper_[kMountNameBytesMax] = {};
  char lower_[kMountNameBytesMax] = {};
};

/// Finds the number of the mount through which a file was opened. Returns false on kernels that do not tell it.
bool find_mount_id(int descriptor, std::uint64_t* mount_id);

/// Copies the mount's place to `path`, which has kMountNameBytesMax bytes. Returns false when it is not known.
bool find_mount_point(std::uint64_t mount_id, char* path);

/// The disk below this mount whose counters include the mount's traffic; 0 when this disk is not known.
std::uint64_t disk_below(std::uint64_t mount_id);

}  // namespace discnice::outputs
