// SPDX-License-Identifier: MIT
// records: what the journal remembers of the entries, to be asked by name and by i-number.
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
  /// `entries` must outlive it and stay as they are.
  explicit Records(const std::vector<Recorded>& entries);

  /// The place of a name among the entries; none for a name that came later.
  [[nodiscard]] std::optional<std::size_t> find(const std::string& name) const;

  /// The place of the entry whose folder, or the link that stands for it, has this i-number.
  [[nodiscard]] std::optional<std::size_t> find_folder(std::uint64_t inode) const;

  [[nodiscard]] const std::vector<Recorded>& entries() const { return entries_; }

  /// Whether this is one of the two that the entry was at the exchange, and nobody has changed it since.
  [[nodiscard]] bool is_unchanged(const Recorded& entry, const struct stat& now) const;

  /// Whether it has lost a name since, or several, and the time of its last status change by that: it then is unchanged if its attributes
  /// are.
  [[nodiscard]] bool is_unchanged_but_unlinked(const Recorded& entry, const struct stat& now) const;

  /// The same but for the time of the last status change, which a rename sets.
  [[nodiscard]] bool is_unchanged_but_renamed(const Recorded& entry, const struct stat& now) const;

  /// We ourselves have renamed or unlinked a name of this file: the time of its last status change is another now.
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
