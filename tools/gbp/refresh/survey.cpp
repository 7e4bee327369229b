// SPDX-License-Identifier: MIT
#include "tools/gbp/refresh/survey.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <unordered_map>

#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <fmt/core.h>

#include <gray/layout.h>

#include "tools/gbp/refresh/attributes.hpp"

namespace gbp::refresh_parts {
namespace {

using gray::base::ScopedFd;

// A file that begins this close behind the one before needs no seek worth the name.
constexpr std::uint64_t kNearBytes = 1U << 20U;

// This much space stays free for what others write meanwhile.
constexpr std::uint64_t kFreeBytesMin = 4U << 20U;

constexpr std::uint64_t kBlockBytes = 512;  // of st_blocks

bool is_below(const std::string& path, const std::string& folder) {
  return path == folder || (path.size() > folder.size() && path.compare(0, folder.size(), folder) == 0 &&
                            path[folder.size()] == '/');
}

// /proc writes blanks and the like as \040.
std::string unescaped(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size()) {
      plain += static_cast<char>(std::stoi(text.substr(i + 1, 3), nullptr, 8));
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

void find_mounts(const Workplace& place, Survey& found) {
  std::ifstream mounts("/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream words(line);
    std::string word;
    for (int i = 0; i < 5; ++i) words >> word;
    if (is_below(unescaped(word), place.path))
      found.blockers.push_back(fmt::format("'{}' is a mount point", unescaped(word)));
  }
}

void find_swap(const Workplace& place, Survey& found) {
  std::ifstream swaps("/proc/swaps");
  for (std::string line; std::getline(swaps, line);) {
    const std::string path = unescaped(line.substr(0, line.find_first_of(" \t")));
    if (is_below(path, place.path)) found.blockers.push_back(fmt::format("'{}' is swapped to", path));
  }
}

// The facts about a file that can't be found without opening it.
void look_into(int folder_fd, Entry& entry, Survey& found) {
  const ScopedFd file = ScopedFd::open(
      entry.name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | (entry.is_folder() ? O_DIRECTORY : 0), 0,
      folder_fd);
  if (!file.is_open()) {
    found.blockers.push_back(problem_of(entry.name, file.error()));
    return;
  }
  const std::string unchangeable = find_unchangeable(file.get());
  if (!unchangeable.empty()) found.blockers.push_back(fmt::format("'{}' is {}", entry.name, unchangeable));
  gb_layout_place where{};
  where.size = sizeof where;
  if (!entry.is_file() || gb_layout_find_fd(file.get(), &where) != 0) return;
  entry.has_first_extent = where.has_first_extent != 0;
  entry.first_extent_bytes = where.first_extent_bytes;
}

void judge_entry(int folder_fd, dev_t device, Entry& entry, Survey& found) {
  if (entry.status.st_dev != device)
    found.blockers.push_back(fmt::format("'{}' lies on another file system", entry.name));
  if (entry.is_file() || entry.is_folder()) look_into(folder_fd, entry, found);
  if (geteuid() != 0 && entry.status.st_uid != geteuid())
    found.blockers.push_back(
        fmt::format("'{}' belongs to somebody else, whose a copy could not be", entry.name));
}

void find_outer_links(Survey& found) {
  std::map<ino_t, nlink_t> inner;
  for (const Entry& entry : found.entries)
    if (entry.is_file()) ++inner[entry.status.st_ino];
  for (const Entry& entry : found.entries) {
    if (entry.is_file() && inner[entry.status.st_ino] < entry.status.st_nlink)
      found.blockers.push_back(
          fmt::format("'{}' has a hard link outside, which would keep the old file", entry.name));
  }
}

void put_in_order(const std::vector<std::string>& order_names, Survey& found) {
  std::unordered_map<std::string, std::size_t> wanted;
  for (const std::string& name : order_names) wanted.try_emplace(name, wanted.size());
  const auto place_of = [&wanted](const Entry& entry) {
    const auto listed = wanted.find(entry.name);
    return listed == wanted.end() ? wanted.size() : listed->second;
  };
  std::sort(found.entries.begin(), found.entries.end(), [&place_of](const Entry& a, const Entry& b) {
    if (a.is_file() != b.is_file()) return a.is_file();
    if (place_of(a) != place_of(b)) return place_of(a) < place_of(b);
    if (a.status.st_size != b.status.st_size) return a.status.st_size < b.status.st_size;
    return a.name < b.name;
  });
}

void score(Survey& found) {
  std::vector<const Entry*> files;
  for (const Entry& entry : found.entries)
    if (entry.has_first_extent) files.push_back(&entry);
  std::sort(files.begin(), files.end(),
            [](const Entry* a, const Entry* b) { return a->status.st_ino < b->status.st_ino; });
  found.placed = files.size();
  for (std::size_t i = 1; i < files.size(); ++i) {
    if (files[i]->status.st_ino == files[i - 1]->status.st_ino) continue;
    const std::uint64_t before_bytes =
        static_cast<std::uint64_t>(files[i - 1]->status.st_blocks) * kBlockBytes;
    if (!lies_close_behind(files[i]->first_extent_bytes, files[i - 1]->first_extent_bytes, before_bytes))
      ++found.jumps;
  }
}

void judge_room(int folder_fd, Survey& found) {
  std::map<ino_t, bool> counted;
  for (const Entry& entry : found.entries) {
    if (!entry.is_file()) continue;
    ++found.files;
    if (!counted.try_emplace(entry.status.st_ino, true).second) continue;
    found.bytes += static_cast<std::uint64_t>(entry.status.st_blocks) * kBlockBytes;
  }
  struct statvfs room {};
  if (fstatvfs(folder_fd, &room) != 0) return;
  found.free_bytes = static_cast<std::uint64_t>(room.f_bavail) * room.f_frsize;
  if (found.free_bytes < found.bytes + kFreeBytesMin)
    found.blockers.push_back(fmt::format("{} bytes are free and the copy needs {}", found.free_bytes,
                                         found.bytes + kFreeBytesMin));
}

bool is_same(const struct stat& a, const struct stat& b) {
  return a.st_ino == b.st_ino && a.st_mode == b.st_mode && a.st_size == b.st_size &&
         a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

// Links that are made of it on the way change the time of the last change of a file that is linked, not copied.
bool is_same_time(const struct stat& a, const struct stat& b) {
  return a.st_ctim.tv_sec == b.st_ctim.tv_sec && a.st_ctim.tv_nsec == b.st_ctim.tv_nsec;
}

}  // namespace

bool lies_close_behind(std::uint64_t start_bytes, std::uint64_t before_start_bytes,
                       std::uint64_t before_length_bytes) {
  return start_bytes >= before_start_bytes &&
         start_bytes <= before_start_bytes + before_length_bytes + kNearBytes;
}

std::string survey(const Workplace& place, const std::vector<std::string>& order_names, Survey& found) {
  const ScopedFd folder = open_folder(place.parent.get(), place.name);
  if (!folder.is_open()) return problem_of(place.path, folder.error());
  std::vector<std::string> names;
  if (fstat(folder.get(), &found.directory) != 0 || !list_names(folder.get(), names))
    return problem_of(place.path);
  const std::string unchangeable = find_unchangeable(folder.get());
  if (!unchangeable.empty()) found.blockers.push_back(fmt::format("'{}' is {}", place.path, unchangeable));
  for (const std::string& name : names) {
    Entry entry;
    entry.name = name;
    if (fstatat(folder.get(), name.c_str(), &entry.status, AT_SYMLINK_NOFOLLOW) != 0) return problem_of(name);
    judge_entry(folder.get(), found.directory.st_dev, entry, found);
    found.entries.push_back(std::move(entry));
  }
  put_in_order(order_names, found);
  find_outer_links(found);
  find_mounts(place, found);
  find_swap(place, found);
  judge_room(folder.get(), found);
  score(found);
  return "";
}

std::size_t count_workers(const Workplace& place) {
  DIR* processes = opendir("/proc");
  if (processes == nullptr) return 0;
  std::size_t count = 0;
  while (const dirent* entry = readdir(processes)) {
    if (entry->d_name[0] < '0' || entry->d_name[0] > '9') continue;
    char target[4096];
    const std::string link = fmt::format("/proc/{}/cwd", entry->d_name);
    const ssize_t length = readlink(link.c_str(), target, sizeof target);
    if (length > 0 && is_below(std::string(target, static_cast<std::size_t>(length)), place.path)) ++count;
  }
  closedir(processes);
  return count;
}

std::string find_change(int folder_fd, const Survey& before) {
  std::vector<std::string> names;
  if (!list_names(folder_fd, names)) return "it can't be read again";
  if (names.size() != before.entries.size()) return "files have come or gone";
  for (const Entry& entry : before.entries) {
    struct stat now {};
    if (fstatat(folder_fd, entry.name.c_str(), &now, AT_SYMLINK_NOFOLLOW) != 0)
      return fmt::format("'{}' has gone", entry.name);
    // A folder inside may change: it is moved as it is.
    if (entry.is_folder() && S_ISDIR(now.st_mode) && now.st_ino == entry.status.st_ino) continue;
    if (!is_same(now, entry.status) || (entry.is_file() && !is_same_time(now, entry.status)))
      return fmt::format("'{}' has changed", entry.name);
  }
  return "";
}

}  // namespace gbp::refresh_parts
