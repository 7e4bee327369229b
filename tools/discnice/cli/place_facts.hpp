// SPDX-License-Identifier: MIT
// place_facts: what is known of the place where a file lies: its file system, the disk below, and by what a job there would see others.
#pragma once

#include <cstdint>
#include <string>

#include <sys/types.h>

namespace discnice::cli {

/// By what a job sees that others use the disk, the best first.
enum class OthersSeenBy : std::uint8_t {
  counters,    // of the disk
  disk_below,  // the counters of the disk below a file system that has no disk's number
  pressure,    // the host's account of who waits for a disk
  progress,    // how the job itself gets on
};

struct PlaceFacts {
  std::string type;  // of the file system; empty: unknown
  dev_t device = 0;  // as in st_dev
  bool is_in_memory = false;
  OthersSeenBy others = OthersSeenBy::progress;
  std::uint64_t disk = 0;  // whose counters these are; 0: none
};

/// The type of the file system with that device number, from the text of /proc/self/mountinfo; empty where it is not there. Pure.
std::string file_system_type(const std::string& mountinfo, unsigned major_number, unsigned minor_number);

/// The text of /proc/self/mountinfo.
std::string read_mounts();

/// "8:0".
std::string number_text(std::uint64_t device);

/// Of a path with that device number.
PlaceFacts facts_of_place(const std::string& path, dev_t device, const std::string& mounts);

}  // namespace discnice::cli
