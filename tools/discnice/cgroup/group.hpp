// SPDX-License-Identifier: MIT
// group: one control group of a job: its limits, its traffic, its removal. The group's name contains the number of the process that made the group. So a group
// whose maker was killed can be recognised.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tools/discnice/cgroup/place.hpp"

namespace discnice::cgroup {

/// The limits of one disk, in bytes for each second. 0 means no limit.
struct Limits {
  std::uint64_t read_bytes_per_s = 0;
  std::uint64_t write_bytes_per_s = 0;
};

/// The traffic of the group on one disk, in bytes.
struct Traffic {
  std::uint64_t read_bytes = 0;
  std::uint64_t written_bytes = 0;
};

class Group {
 public:
  /// A group that exists, or that will be made.
  Group(Version version, std::string folder) : version_(version), folder_(std::move(folder)) {}

  /// Makes the group. Returns 0 or a negative errno.
  [[nodiscard]] int make() const;
  [[nodiscard]] const std::string& folder() const { return folder_; }
  [[nodiscard]] Version version() const { return version_; }

  /// Sets both limits of a disk. Returns 0 or a negative errno.
  [[nodiscard]] int limit(std::uint64_t disk, const Limits& limits) const;
  /// Removes all limits.
  void lift() const;
  /// The limits that are set, for each disk.
  [[nodiscard]] std::map<std::uint64_t, Limits> limits() const;
  /// The traffic of each disk. Version 1 counts a read when it is requested, version 2 when it goes to the disk.
  [[nodiscard]] std::map<std::uint64_t, Traffic> traffic() const;

  /// Whether any process is in the group.
  [[nodiscard]] bool has_processes() const;
  /// The group's memory that is not on the disk yet. 0 when the kernel does not tell this amount.
  [[nodiscard]] std::uint64_t dirty_bytes() const;
  /// Removes the group. Returns whether it is gone.
  [[nodiscard]] bool remove() const;

 private:
  Version version_;
  std::string folder_;
};

/// The name of a group that this process makes.
std::string own_name();

/// Removes the limits of groups in this folder whose makers have ended, and removes those groups that are empty.
void clear_left_groups(const Place& place);

}  // namespace discnice::cgroup
