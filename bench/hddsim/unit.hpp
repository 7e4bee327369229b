// SPDX-License-Identifier: MIT
// unit: one emulated disk on this machine: the places of all its parts, and how to find them again if the processes that made them were killed.
//
// All parts of a unit are under /run/hddsim/NAME, except its backing file and its mount. The parts are found by asking the kernel (mounts, loop devices, processes). They are
// never remembered in a file. So a unit whose maker or server was killed can be removed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

namespace hddsim {

/// The request of the user. It is kept in the unit's folder before anything else is made.
struct UnitRequest {
  std::string name = "disk";
  std::string profile = "hdd7200";
  std::uint64_t size_bytes = 8ULL << 30U;
  std::string file_system = "ext4";  ///< ext4, xfs, btrfs or none
  std::string mount_folder;          ///< empty: "mnt" in the unit's folder
  std::string backing_folder = "/dev/shm";
  std::string scheduler = "none";
  std::uint64_t read_ahead_bytes = 128 * 1024;
  std::string trace_path;
};

/// The places of a unit.
struct UnitPlaces {
  explicit UnitPlaces(const UnitRequest& request);
  std::string folder;
  std::string request_file;
  std::string fuse_folder;
  std::string disk_file;  ///< The file that the FUSE server serves.
  std::string counters_file;
  std::string log_file;
  std::string backing_file;
  std::string mount_folder;
};

/// The folder of all units.
inline constexpr const char* kUnitsFolder = "/run/hddsim";

/// True for a name that can be a file's name and no more: letters, digits, '-' and '_', at most 32.
bool is_unit_name(const std::string& name);

/// Writes the request into the unit's folder, which must exist. False with errno set.
bool save_request(const UnitRequest& request);

/// The request from which a unit was made. If the unit's file is missing or torn, the defaults with that name.
UnitRequest load_request(const std::string& name);

/// The sorted names of all units of which any part is left.
std::vector<std::string> unit_names();

/// The loop device over the unit's disk, "/dev/loop3", or empty.
std::string find_loop_device(const UnitPlaces& places);

/// The folders at which the kernel has mounted `source`, the newest mount first.
std::vector<std::string> find_mounts_of(const std::string& source);

/// True when something is mounted at `folder`.
bool is_mount_point(const std::string& folder);

/// The processes that serve the unit's disk.
std::vector<pid_t> find_servers(const UnitPlaces& places);

/// Locks out other makers and removers of units, so that two callers do not disturb each other. The lock ends with the process.
bool lock_units();

}  // namespace hddsim
