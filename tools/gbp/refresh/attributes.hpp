// SPDX-License-Identifier: MIT
// attributes: all properties of a file except its data: owner, mode, access lists, extended attributes, capabilities, flags,
// project, times.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <sys/stat.h>

namespace gbp::refresh_parts {

/// The attributes that a person may have set, without times.
struct Facts {
  std::uint32_t mode = 0;
  std::uint32_t user = 0;
  std::uint32_t group = 0;
  std::uint32_t flags = 0;
  std::uint32_t project = 0;
  std::map<std::string, std::vector<char>> extended;

  bool operator==(const Facts&) const = default;
};

/// Reads the attributes of a file. False with errno set.
bool read_facts(int fd, Facts& facts);

/// A hash of the facts.
std::uint64_t digest_of(const Facts& facts);

/// "immutable" or a similar word if a flag forbids copying or removing the file; else an empty text.
std::string find_unchangeable(int fd);

/// Gives `to` the attributes of `from`, and removes all others. The order is such that no step undoes an earlier step (a change of owner drops capabilities and set-user-id, a
/// default access list is inherited). Leaves the times. Returns which attribute could not be copied, or an empty text.
std::string copy_attributes(int from, int to, const struct stat& status);

/// Compares the attributes of the two. Returns which of them differ, or an empty text.
std::string compare_attributes(int from, int to);

/// Sets access and modification time.
bool set_times(int fd, const struct stat& status);

}  // namespace gbp::refresh_parts
