// SPDX-License-Identifier: MIT
// survey: finds what is in the directory, how it lies on disk, and what forbids a refresh. Changes nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sys/stat.h>

#include "tools/gbp/refresh/place.hpp"

namespace gbp::refresh_parts {

struct Entry {
  std::string name;
  struct stat status;
  std::uint64_t first_extent_bytes = 0;
  bool has_first_extent = false;

  [[nodiscard]] bool is_file() const { return S_ISREG(status.st_mode); }
  [[nodiscard]] bool is_folder() const { return S_ISDIR(status.st_mode); }
};

struct Survey {
  struct stat directory;
  std::vector<Entry> entries;  // files in their wanted order on disk, then the other entries
  std::size_t files = 0;       // the number of regular files
  std::uint64_t bytes = 0;     // the space that a copy takes on disk
  std::uint64_t free_bytes = 0;
  std::size_t jumps = 0;   // files that, in the order of i-numbers, do not lie close behind the file before
  std::size_t placed = 0;  // files whose place is known
  std::vector<std::string> blockers;  // reasons against a refresh, one sentence each
};

/// Whether data at `start_bytes` lies close behind a file that was read before it, so that the disk's head need not seek. All positions are in bytes
/// on the device.
bool lies_close_behind(std::uint64_t start_bytes, std::uint64_t before_start_bytes,
                       std::uint64_t before_length_bytes);

/// Surveys the directory. `order_names` are laid out first, in this order; the other files by size, the smallest first, as in the paper. Returns one sentence if the directory
/// cannot be surveyed.
std::string survey(const Workplace& place, const std::vector<std::string>& order_names, Survey& found);

/// How many processes have the directory as their working directory, as far as this user may see. They will stay in the old directory.
std::size_t count_workers(const Workplace& place);

/// Whether the directory still has the entries that the survey found, unchanged. Returns what differs, or an empty text.
std::string find_change(int folder_fd, const Survey& before);

}  // namespace gbp::refresh_parts
