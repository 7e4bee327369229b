// SPDX-License-Identifier: MIT
#include "tools/gbp/refresh/records.hpp"

namespace gbp::refresh_parts {

Records::Records(const std::vector<Recorded>& entries) : entries_(entries) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    by_name_.try_emplace(entries[i].name, i);
    if (entries[i].is_folder()) {
      folders_.try_emplace(entries[i].old_one.inode, i);
      folders_.try_emplace(entries[i].new_one.inode, i);
    }
    if (!entries[i].is_file()) continue;
    files_.try_emplace(entries[i].old_one.inode, entries[i].old_one);
    files_.try_emplace(entries[i].new_one.inode, entries[i].new_one);
    ++names_[entries[i].old_one.inode];
    ++names_[entries[i].new_one.inode];
  }
}

std::optional<std::size_t> Records::find(const std::string& name) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return std::nullopt;
  return found->second;
}

std::optional<std::size_t> Records::find_folder(std::uint64_t inode) const {
  const auto found = folders_.find(inode);
  if (found == folders_.end()) return std::nullopt;
  return found->second;
}

const Identity* Records::identity_of_entry(const Recorded& entry, const struct stat& now) const {
  if (now.st_ino != entry.old_one.inode && now.st_ino != entry.new_one.inode) return nullptr;
  const auto found = files_.find(now.st_ino);
  return found == files_.end() ? nullptr : &found->second;
}

bool Records::is_unchanged(const Recorded& entry, const struct stat& now) const {
  if (entry.is_file()) {
    const Identity* recorded = identity_of_entry(entry, now);
    return recorded != nullptr && is_same(*recorded, refresh_parts::identity_of(now));
  }
  // Both directories hold the same object, so a change of it is a change in both.
  return now.st_ino == entry.old_one.inode && (now.st_mode & S_IFMT) == (entry.old_one.mode & S_IFMT);
}

bool Records::is_unchanged_but_unlinked(const Recorded& entry, const struct stat& now) const {
  const auto names = names_.find(now.st_ino);
  return entry.is_file() && names != names_.end() && now.st_nlink < names->second &&
         is_unchanged_but_renamed(entry, now);
}

bool Records::is_unchanged_but_renamed(const Recorded& entry, const struct stat& now) const {
  if (!entry.is_file()) return is_unchanged(entry, now);
  const Identity* recorded = identity_of_entry(entry, now);
  return recorded != nullptr && is_same_but_status_time(*recorded, refresh_parts::identity_of(now));
}

void Records::note_renamed(const struct stat& before, const struct stat& after) {
  const auto found = files_.find(after.st_ino);
  if (found == files_.end() || !is_same(found->second, refresh_parts::identity_of(before)) ||
      !is_same_but_status_time(found->second, refresh_parts::identity_of(after)))
    return;
  found->second.status_change = after.st_ctim;
}

}  // namespace gbp::refresh_parts
