// SPDX-License-Identifier: MIT
// attributes: everything about a file but its data: owner, mode, access lists, extended attributes, capabilities, flags,
// project, times.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <sys/stat.h>

namespace gbp::refresh_parts {

/// What a person may have set, times apart.
struct Facts {
  std::uint32_t mode = 0;
  std::uint32_t user = 0;
  std::uint32_t group = 0;
  std::uint32_t flags = 0;
  std::uint32_t project = 0;
  std::map<std::string, std::vector<char>> extended;

  bool operator==(const Facts&) const = default;
};

/// False with errno set.
bool read_facts(int fd, Facts& facts);

/// A number that differs where the facts do.
std::uint64_t digest_of(const Facts& facts);

/// "immutable" and the like where a flag forbids that the file is copied or removed; else an empty text.
std::string find_unchangeable(int fd);

/// Gives `to` what `from` has, and takes away what it has not, in the order in which nothing undoes what went before (a change of owner drops capabilities
/// and set-user-id, a default access list is inherited). Leaves the times. Returns what could not be kept, or an empty text.
std::string copy_attributes(int from, int to, const struct stat& status);

/// Whether `to` has them all. Returns what differs, or an empty text.
std::string compare_attributes(int from, int to);

/// Sets access and modification time.
bool set_times(int fd, const struct stat& status);

}  // namespace gbp::refresh_parts
