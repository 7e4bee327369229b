// SPDX-License-Identifier: MIT
// journal: the file beside a directory that says, after a crash, which of two directories is which and what each entry was.
//
// The exchange itself needs no record: which directory bears the name now tells whether it has happened. The journal
// remembers both directories and, of each entry, both files as they were before the exchange. A file that is still so was
// changed by nobody, and the other one of the two holds the same.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sys/stat.h>

#include "tools/gbp/refresh/place.hpp"

namespace gbp::refresh_parts {

/// Facts by which a changed file is distinguished from an unchanged one. Each change sets the time of the last status change.
struct Identity {
  std::uint64_t inode = 0;
  std::int64_t bytes = 0;
  timespec change{};         // of the data
  timespec status_change{};  // of anything
  std::uint32_t mode = 0;
  std::uint32_t user = 0;
  std::uint32_t group = 0;
};

Identity identity_of(const struct stat& status);

/// Whether all facts are equal, except the time of the last status change, which a link or a rename also sets.
bool is_same_but_status_time(const Identity& a, const Identity& b);
bool is_same(const Identity& a, const Identity& b);

/// One name of the directory. An entry that is linked and not copied has the same identity twice. For a folder the second identity is that of the link that stands for it.
struct Recorded {
  std::string name;
  Identity old_one;
  Identity new_one;
  std::uint64_t attributes_digest = 0;  // of a file with several names; else 0

  [[nodiscard]] bool is_file() const { return S_ISREG(old_one.mode); }
  [[nodiscard]] bool is_folder() const { return S_ISDIR(old_one.mode); }
};

enum class Stage {
  filling,   // the sibling is being filled: nobody but gbp knows what is in it
  ready,     // the sibling is complete: exchanged or not
  draining,  // the sibling's files are being removed: there is no way back
};

struct Journal {
  std::uint64_t old_inode = 0;
  std::uint64_t new_inode = 0;
  timespec access{};  // of the directory
  timespec change{};
  std::uint64_t attributes_digest = 0;  // of the directory
  Stage stage = Stage::filling;
  std::vector<Recorded> entries;

  /// Held as long as this process works with it. read_journal() of another process then fails with -EBUSY.
  gray::base::ScopedFd lock;
};

/// Writes it under another name, forces it to disk, renames it, and forces the folder to disk. So it exists as a whole or not at all. Returns what is wrong, or an empty text.
std::string write_journal(const Workplace& place, Journal& journal);

/// 0; -ENOENT if there is none; -EBADMSG if the file is not a journal of gbp; -EBUSY if another process works with it.
int read_journal(const Workplace& place, Journal& journal);

/// Removes the journal, and a half-written one. Returns what is wrong, or an empty text.
std::string remove_journal(const Workplace& place);

}  // namespace gbp::refresh_parts
