// SPDX-License-Identifier: MIT
// journal: the little file beside a directory that says, after a crash, which of two directories is which.
//
// The exchange itself needs no record: which directory bears the name now tells whether it has happened. The journal only
// remembers which was the old one and which the new, the old one's times, and whether its deletion has begun.
#pragma once

#include <cstdint>
#include <string>

#include <sys/stat.h>

#include "tools/gbp/refresh/place.hpp"

namespace gbp::refresh_parts {

struct Journal {
  std::uint64_t old_inode = 0;
  std::uint64_t new_inode = 0;
  timespec access{};  // of the directory
  timespec change{};
  bool is_deleting = false;  // there is no way back
};

/// Writes it under another name, forces it to disk, renames it, forces the folder: it is whole or not there.
/// Returns what is wrong, or an empty text.
std::string write_journal(const Workplace& place, const Journal& journal);

/// 0, -ENOENT when there is none, -EBADMSG when it is not one of ours.
int read_journal(const Workplace& place, Journal& journal);

/// Removes it, and a half-written one. Returns what is wrong, or an empty text.
std::string remove_journal(const Workplace& place);

}  // namespace gbp::refresh_parts
