// SPDX-License-Identifier: MIT
// records: finds the journal's entries by name and by i-number.
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

  /// The index of a name among the entries; empty for a name that was added later.
  [[nodiscard]] std::optional<std::size_t> find(const std::string& name) const;

  /// The index of the entry whose folder, or the folder's link, has this i-number.
  [[nodiscard]] std::optional<std::size_t> find_folder(std::uint64_t inode) const;

  [[nodiscard]] const std::vector<Recorded>& entries() const { return entries_; }

  /// Whether this is one of the two files of the entry at the exchange, and nobody has changed it since.
  [[nodiscard]] bool is_unchanged(const Recorded& entry, const struct stat& now) const;

  /// Whether the file has only lost one or more names since, which also changed the time of its last status change. Then it is unchanged if its attributes are.
  [[nodiscard]] bool is_unchanged_but_unlinked(const Recorded& entry, const struct stat& now) const;

  /// The same, but without the time of the last status change, which a rename sets.
  [[nodiscard]] bool is_unchanged_but_renamed(const Recorded& entry, const struct stat& now) const;

  /// Notes that gbp itself has renamed or unlinked a name of this file, so the time of its last status change is different now.
  void note_renamed(const struct stat& before, const struct stat& after);

 private:
  [[nodiscard]] const Identity* identity_of_entry(const Recorded& entry, const struct stat& now) const;

  const std::vector<Recorded>& entries_;
  std::unordered_map<std::string, std::size_t> by_name_;
  std::unordered_map<std::uint64_t, std::size_t> folders_;  // by i-number: both of each entry
  std::unordered_map<std::uint64_t, Identity> files_;       // by i-number: both of each entry
  std::unordered_map<std::uint64_t, std::size_t> names_;    // how many each i-number had
};

}  // namespace gbp::refresh_parts
