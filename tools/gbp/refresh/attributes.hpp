// SPDX-License-Identifier: MIT
// attributes: everything about a file except its data: owner, mode, access lists, extended attributes, capabilities, flags, project, times.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <sys/stat.h>

namespace gbp::refresh_parts {

/// The attributes that a person may have set, except the times.
struct Facts {
  std::uint32_t mode = 0;
  std::uint32_t user = 0;
  std::uint32_t group = 0;
  std::uint32_t flags = 0;
  std::uint32_t project = 0;
  std::map<std::string, std::vector<char>> extended;

  bool operator==(const Facts&) const = default;
};

/// Returns false, with errno set, on failure.
bool read_facts(int fd, Facts& facts);

/// A number that differs if the attributes differ.
std::uint64_t digest_of(const Facts& facts);

/// "immutable" or similar if a flag forbids that the file is copied or removed; else an empty text.
std::string find_unchangeable(int fd);

/// Gives `to` the attributes of `from`, and removes all others. The order is such that no step undoes an earlier one (a change of owner drops capabilities and set-user-id, a
/// default access list is inherited). The times are not changed. Returns what could not be kept, or an empty text.
std::string copy_attributes(int from, int to, const struct stat& status);

/// Whether `to` has all attributes of `from`. Returns what differs, or an empty text.
std::string compare_attributes(int from, int to);

/// Sets access and modification time.
bool set_times(int fd, const struct stat& status);

}  // namespace gbp::refresh_parts
