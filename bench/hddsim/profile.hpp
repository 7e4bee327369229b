// SPDX-License-Identifier: MIT
// profile: the parameters of an emulated disk, read from a small text file of "key = value" lines.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hddsim {

enum class Kind : std::uint8_t {
  mechanical,  ///< One head over turning platters.
  card,        ///< Flash without a cache: erase blocks, few of them open.
  cloud        ///< Caps on operations and bytes a second, with credits; requests overlap.
};

/// The parameters of a disk. Parameters of other kinds of disks are not used. Rates are in bytes a second.
struct Profile {
  std::string name;
  Kind kind = Kind::mechanical;
  std::uint64_t command_ns = 0;  ///< From the arrival of a request to the first movement.
  std::uint64_t queue_depth =
      1;  ///< The disk chooses among this number of waiting requests the request that the head reaches first.

  // mechanical
  std::uint64_t rotations_per_minute = 7200;
  std::uint64_t seek_min_ns = 0;      ///< To the next track.
  std::uint64_t seek_average_ns = 0;  ///< Over a third of the stroke.
  std::uint64_t seek_max_ns = 0;      ///< Over the whole stroke.
  std::uint64_t outer_rate = 0;       ///< At offset 0.
  std::uint64_t inner_rate = 0;
  std::uint64_t zones = 1;
  std::uint64_t buffer_bytes =
      0;  ///< After a read the disk reads on until the buffer is full or the head must leave.
  std::uint64_t write_cache_bytes = 0;  ///< 0: a write is over when it is on the platter.
  std::uint64_t interface_rate = 0;

  // card
  std::uint64_t read_rate = 0;
  std::uint64_t write_rate = 0;
  std::uint64_t erase_block_bytes = 0;
  std::uint64_t open_blocks = 1;
  std::uint64_t erase_ns = 0;

  // cloud
  std::uint64_t latency_ns = 0;
  std::uint64_t operations_per_second = 0;
  std::uint64_t burst_operations = 0;
  std::uint64_t operation_bytes = 0;  ///< A longer request counts as several operations.
  std::uint64_t rate = 0;
  std::uint64_t burst_bytes = 0;
};

/// A profile, or one line that says what is wrong with it.
struct ProfileReading {
  Profile profile;
  std::string problem;
};

/// Reads a profile: by name from the profiles that come with the program, or, if the argument has a '/' or a '.' in it, from that file.
ProfileReading read_profile(const std::string& name_or_path);

/// Reads the text of a profile. `origin` is put in front of an error message.
ProfileReading parse_profile(const std::string& text, const std::string& origin);

/// The names of the profiles that come with the program, sorted.
std::vector<std::string> profile_names();

}  // namespace hddsim
