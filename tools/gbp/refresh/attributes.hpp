// SPDX-License-Identifier: MIT
// attributes: everything about a file but its data: owner, mode, access lists, extended attributes, capabilities, flags,
// project, times.
#pragma once

#include <string>

#include <sys/stat.h>

namespace gbp::refresh_parts {

/// "immutable" and the like where a flag forbids that the file is copied or removed; else an empty text.
std::string find_unchangeable(int fd);

/// Gives `to` what `from` has, in the order in which nothing undoes what went before (a change of owner drops capabilities
/// and set-user-id, a default access list is inherited). Times last. Returns what could not be kept, or an empty text.
std::string copy_attributes(int from, int to, const struct stat& status);

/// Whether `to` has them all. Returns what differs, or an empty text.
std::string compare_attributes(int from, int to);

/// Sets access and modification time.
bool set_times(int fd, const struct stat& status);

}  // namespace gbp::refresh_parts
