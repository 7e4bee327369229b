// SPDX-License-Identifier: MIT
// group: one control group of a job: its limits, the bytes that it has moved, its removal. The name of the group says which process made it. So a group whose maker was killed is
// recognised.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tools/discnice/cgroup/place.hpp"

namespace discnice::cgroup {

/// The limits on one disk, in bytes a second; 0 means no limit.
struct Limits {
  std::uint64_t read_bytes_per_s = 0;
  std::uint64_t write_bytes_per_s = 0;
};

/// What the group has moved on one disk, in bytes.
struct Traffic {
  std::uint64_t read_bytes = 0;
  std::uint64_t written_bytes = 0;
};

class Group {
 public:
  /// A group that exists or will be made.
  Group(Version version, std::string folder) : version_(version), folder_(std::move(folder)) {}

  /// Makes the group. Returns 0 or a negative errno.
  [[nodiscard]] int make() const;
  [[nodiscard]] const std::string& folder() const { return folder_; }
  [[nodiscard]] Version version() const { return version_; }

  /// Sets both limits of a disk. Returns 0 or a negative errno.
  [[nodiscard]] int limit(std::uint64_t disk, const Limits& limits) const;
  /// Removes every limit.
  void lift() const;
  /// The present limits of each disk.
  [[nodiscard]] std::map<std::uint64_t, Limits> limits() const;
  /// The bytes moved on each disk. Version 1 counts reads when they are asked for, version 2 when they go to the disk.
  [[nodiscard]] std::map<std::uint64_t, Traffic> traffic() const;

  /// Whether the group has any process.
  [[nodiscard]] bool has_processes() const;
  /// How many bytes of the group's memory are not on the disk yet. 0 if the kernel does not tell.
  [[nodiscard]] std::uint64_t dirty_bytes() const;
  /// Whether the group was removed.
  [[nodiscard]] bool remove() const;

 private:
  Version version_;
  std::string folder_;
};

/// The name of a group that this process makes.
std::string own_name();

/// Removes the limits from groups in this folder whose makers have ended, and removes the groups that are empty.
void clear_left_groups(const Place& place);

}  // namespace discnice::cgroup
