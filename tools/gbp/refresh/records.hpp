// SPDX-License-Identifier: MIT
// records: the journal's records of the entries, with look-up by name and by i-number.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <sys/stat.h>

#include "tools/gbp/refresh/journal.hpp"

namespace gbp::refresh_parts {

class Records {
 public:
  /// `entries` must outlive this object and must not change.
  explicit Records(const std::vector<Recorded>& entries);

  /// The place of a name among the entries; no value for a name that came later.
  [[nodiscard]] std::optional<std::size_t> find(const std::string& name) const;

  /// The index of the entry whose folder, or the folder's link, has this i-number.
  [[nodiscard]] std::optional<std::size_t> find_folder(std::uint64_t inode) const;

  [[nodiscard]] const std::vector<Recorded>& entries() const { return entries_; }

  /// Whether this is one of the entry's two files at the exchange, unchanged since then.
  [[nodiscard]] bool is_unchanged(const Recorded& entry, const struct stat& now) const;

  /// Whether the only changes since then are removed names of the file, and the time of the last status change, which removing a name sets. The file is then unchanged if its
  /// attributes are unchanged.
  [[nodiscard]] bool is_unchanged_but_unlinked(const Recorded& entry, const struct stat& now) const;

  /// Whether the file is unchanged except for the time of the last status change, which a rename sets.
  [[nodiscard]] bool is_unchanged_but_renamed(const Recorded& entry, const struct stat& now) const;

  /// Notes that this program has renamed or unlinked a name of this file, which changed the time of its last status change.
  void note_renamed(const struct stat& before, const struct stat& after);

 private:
  [[nodiscard]] const Identity* identity_of_entry(const Recorded& entry, const struct stat& now) const;

  const std::vector<Recorded>& entries_;
  std::unordered_map<std::string, std::size_t> by_name_;
  // By i-number: the folder and the link of each entry.
  std::unordered_map<std::uint64_t, std::size_t> folders_;
  std::unordered_map<std::uint64_t, Identity> files_;     // by i-number: both files of each entry
  std::unordered_map<std::uint64_t, std::size_t> names_;  // how many names each i-number had
};

}  // namespace gbp::refresh_parts
