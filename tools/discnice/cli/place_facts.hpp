// SPDX-License-Identifier: MIT
// place_facts: what is known about the place of a file: its file system, the disk below, and how a job there would see other users of the disk.
#pragma once

#include <cstdint>
#include <string>

#include <sys/types.h>

namespace discnice::cli {

/// The means by which a job notices that others use the disk. The best one comes first.
enum class OthersSeenBy : std::uint8_t {
  counters,    // by the counters of the disk
  disk_below,  // by the counters of the disk below a file system that has no number of a disk
  pressure,    // by the host's account of processes that wait for a disk
  progress,    // by the progress of the job itself
};

struct PlaceFacts {
  std::string type;  // of the file system; empty: unknown
  dev_t device = 0;  // as in st_dev
  bool is_in_memory = false;
  OthersSeenBy others = OthersSeenBy::progress;
  std::uint64_t disk = 0;  // the disk that has these counters; 0: none
};

/// Returns the type of the file system with that device number, by the text of /proc/self/mountinfo; an empty text when the text does not have
/// the number. Pure.
std::string file_system_type(const std::string& mountinfo, unsigned major_number, unsigned minor_number);

/// Returns the text of /proc/self/mountinfo.
std::string read_mounts();

/// Returns a device number as text, such as "8:0".
std::string number_text(std::uint64_t device);

/// Returns the facts about a path on the file system with that device number.
PlaceFacts facts_of_place(const std::string& path, dev_t device, const std::string& mounts);

}  // namespace discnice::cli
