// SPDX-License-Identifier: MIT
#include "tools/gbp/refresh/folders.hpp"

#include <cerrno>
#include <climits>
#include <cstdio>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include <fmt/core.h>

#include "toolbox/cli/diagnostics.hpp"

namespace gbp::refresh_parts {
namespace {

bool rename_to_unused(int from, const std::string& from_name, int to, const std::string& to_name) {
  return renameat2(from, from_name.c_str(), to, to_name.c_str(), RENAME_NOREPLACE) == 0;
}

bool is_same_time(const timespec& a, const timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

// Some file systems count a move as a change of the folder. Its time is restored only if it still holds the same names. Otherwise another program has changed it.
class KeptTimes {
 public:
  KeptTimes(int parent, const std::string& name) : folder_(open_folder(parent, name)) {
    is_known_ = folder_.is_open() && fstat(folder_.get(), &before_) == 0 && list(names_);
  }
  void restore() const {
    struct stat now {};
    std::vector<std::string> names;
    if (!is_known_ || fstat(folder_.get(), &now) != 0 || is_same_time(now.st_mtim, before_.st_mtim) ||
        !list(names) || names != names_)
      return;
    const timespec times[2] = {before_.st_atim, before_.st_mtim};
    futimens(folder_.get(), times);
  }

 private:
  bool list(std::vector<std::string>& names) const { return list_names(folder_.get(), names); }

  gray::base::ScopedFd folder_;
  struct stat before_ {};
  std::vector<std::string> names_;
  bool is_known_ = false;
};

}  // namespace

bool is_stand_in(const Workplace& place, const Recorded& entry, int folder_fd, const std::string& name,
                 const struct stat& status) {
  if (!S_ISLNK(status.st_mode) || status.st_ino != entry.new_one.inode) return false;
  char target[PATH_MAX];
  const ssize_t length = readlinkat(folder_fd, name.c_str(), target, sizeof target);
  return length >= 0 && std::string(target, static_cast<std::size_t>(length)) == stand_in(place, entry.name);
}

FolderMove::FolderMove(const Workplace& place, const Records& records, int live_fd, int sibling_fd)
    : place_(place), records_(records), live_{live_fd, {}, {}}, sibling_{sibling_fd, {}, {}} {
  find(live_);
  find(sibling_);
}

void FolderMove::find(Found& found) const {
  std::vector<std::string> names;
  list_names(found.folder, names);
  for (const std::string& name : names) {
    struct stat status {};
    if (fstatat(found.folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    const auto number = records_.find_folder(status.st_ino);
    if (!number) continue;
    const Recorded& entry = records_.entries()[*number];
    if (S_ISDIR(status.st_mode) && status.st_ino == entry.old_one.inode) found.folders[entry.name] = name;
    if (is_stand_in(place_, entry, found.folder, name, status)) found.links[entry.name] = name;
  }
}

std::vector<LeftFolder> FolderMove::move_all() {
  std::vector<LeftFolder> left;
  for (const Recorded& entry : records_.entries()) {
    if (!entry.is_folder()) continue;
    LeftFolder one = move_one(entry);
    if (!one.why.empty()) left.push_back(std::move(one));
  }
  return left;
}

LeftFolder FolderMove::move_one(const Recorded& entry) {
  const std::string live_link = live_.links[entry.name];
  const std::string from = sibling_.folders[entry.name];
  if (!from.empty()) return bring(entry, from, live_link);
  const std::string live_name = live_.folders[entry.name];
  // The folder is in its place, or somebody has moved or removed it.
  if (!live_link.empty()) unlinkat(live_.folder, live_link.c_str(), 0);
  if (live_name != entry.name) return {};
  const std::string sibling_link = sibling_.links[entry.name];
  if (sibling_link.empty() && live_link.empty())
    return {"", fmt::format("'{}/{}' is still there: only the link that stood for it was removed",
                            place_.path, entry.name)};
  if (sibling_link.empty() || sibling_link == entry.name) return {};
  if (rename_to_unused(live_.folder, live_name, live_.folder, sibling_link)) return {};
  return {"", fmt::format("'{}/{}' keeps its name: '{}' is in the directory already", place_.path, entry.name,
                          sibling_link)};
}

// Moves the folder, which has the name `from` in the sibling, to the place of the link that represents it.
LeftFolder FolderMove::bring(const Recorded& entry, const std::string& from, const std::string& link) {
  if (link.empty())
    return {from, fmt::format("'{}/{}' is kept: the link that stood for this folder was removed or replaced",
                              place_.work_path, from)};
  const KeptTimes times(sibling_.folder, from);
  const bool is_renamed_there = from != entry.name && link == entry.name;
  bool is_moved = false;
  if (is_renamed_there) {
    is_moved = rename_to_unused(sibling_.folder, from, live_.folder, from);
    if (is_moved) unlinkat(live_.folder, link.c_str(), 0);
  } else {
    is_moved = renameat2(sibling_.folder, from.c_str(), live_.folder, link.c_str(), RENAME_EXCHANGE) == 0;
  }
  if (!is_moved)
    return {from, fmt::format("'{}/{}' is kept: {}", place_.work_path, from, gray::cli::error_text(errno))};
  times.restore();
  return {};
}

}  // namespace gbp::refresh_parts
