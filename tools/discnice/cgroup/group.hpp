// SPDX-License-Identifier: MIT
// group: one control group of a job's own: its limits, what it has moved, its end. Its name tells which process made it, so a group whose maker was killed is known as such.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tools/discnice/cgroup/place.hpp"

namespace discnice::cgroup {

/// Of one disk, bytes a second; 0: none.
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
  /// A group that is there, or is to be made.
  Group(Version version, std::string folder) : version_(version), folder_(std::move(folder)) {}

  /// Makes it. 0 or a negative errno.
  [[nodiscard]] int make() const;
  [[nodiscard]] const std::string& folder() const { return folder_; }
  [[nodiscard]] Version version() const { return version_; }

  /// Sets both limits of a disk. 0 or a negative errno.
  [[nodiscard]] int limit(std::uint64_t disk, const Limits& limits) const;
  /// Takes every limit away.
  void lift() const;
  /// The limits that are set, by disk.
  [[nodiscard]] std::map<std::uint64_t, Limits> limits() const;
  /// By disk. Version 1 counts reads when they are asked for, version 2 when they go to the disk.
  [[nodiscard]] std::map<std::uint64_t, Traffic> traffic() const;

  /// Whether any process is in it.
  [[nodiscard]] bool has_processes() const;
  /// Of its memory, what is not on the disk yet. 0 where that is not told.
  [[nodiscard]] std::uint64_t dirty_bytes() const;
  /// Whether it is gone.
  [[nodiscard]] bool remove() const;

 private:
  Version version_;
  std::string folder_;
};

/// The name of a group that this process makes.
std::string own_name();

/// Takes the limits from groups in this folder whose makers are no more, and removes those that are empty.
void clear_left_groups(const Place& place);

}  // namespace discnice::cgroup
