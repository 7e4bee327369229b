// SPDX-License-Identifier: MIT
// journal: the file beside a directory that tells, after a crash, which of the two directories is the old one and what each entry was.
//
// The exchange itself needs no record: the directory that has the name now tells whether the exchange has happened. The journal records both directories and, for each entry,
// both files as they were before the exchange. A file that still matches its record was not changed, and the other file of the pair then held the same content.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sys/stat.h>

#include "tools/gbp/refresh/place.hpp"

namespace gbp::refresh_parts {

/// The facts that distinguish an unchanged file from a changed one. Each change sets the time of the last status change.
struct Identity {
  std::uint64_t inode = 0;
  std::int64_t bytes = 0;
  timespec change{};         // last change of the data
  timespec status_change{};  // last change of data or attributes
  std::uint32_t mode = 0;
  std::uint32_t user = 0;
  std::uint32_t group = 0;
};

Identity identity_of(const struct stat& status);

/// Whether all facts but the time of the last status change are equal. A link or a rename also sets that time.
bool is_same_but_status_time(const Identity& a, const Identity& b);
bool is_same(const Identity& a, const Identity& b);

/// One name of the directory. An entry that is linked instead of copied has the same identity twice. For a folder the second identity is the identity of the
/// link that represents it.
struct Recorded {
  std::string name;
  Identity old_one;
  Identity new_one;
  std::uint64_t attributes_digest = 0;  // for a file with several names; else 0

  [[nodiscard]] bool is_file() const { return S_ISREG(old_one.mode); }
  [[nodiscard]] bool is_folder() const { return S_ISDIR(old_one.mode); }
};

enum class Stage {
  filling,   // the sibling is being filled; its content is only gbp's
  ready,     // the sibling is complete; the exchange may have happened or not
  draining,  // the sibling's files are being removed; rollback is no longer possible
};

struct Journal {
  std::uint64_t old_inode = 0;
  std::uint64_t new_inode = 0;
  timespec access{};  // access time of the directory
  timespec change{};
  std::uint64_t attributes_digest = 0;  // digest of the directory's attributes
  Stage stage = Stage::filling;
  std::vector<Recorded> entries;

  /// Held while this process works with the journal: read_journal() of another process then fails with -EBUSY.
  gray::base::ScopedFd lock;
};

/// Writes the journal under another name, forces it to disk, renames it and forces the folder to disk. So the journal is complete or does not exist. Returns what is wrong, or an
/// empty text.
std::string write_journal(const Workplace& place, Journal& journal);

/// Reads the journal. Returns 0; -ENOENT if there is no journal; -EBADMSG if the file is not a journal of gbp; -EBUSY if another process works
/// with it.
int read_journal(const Workplace& place, Journal& journal);

/// Removes the journal, and a half-written new journal. Returns what is wrong, or an empty text.
std::string remove_journal(const Workplace& place);

}  // namespace gbp::refresh_parts
