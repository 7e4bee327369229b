// SPDX-License-Identifier: MIT
#include "tools/gb-grep/tree.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <string>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

namespace gb_grep {
namespace {

// Constants of grep's walk: in a folder with kSortedMin entries or more, grep sorts the entries, up to kSortedMax at a time.
constexpr std::ptrdiff_t kSortedMin = 10'001;
constexpr std::ptrdiff_t kSortedMax = 100'000;

constexpr std::uint32_t kCifsMagic = 0xFF534D42;
constexpr std::uint32_t kLustreMagic = 0x0BD00BD0;

struct Entry {
  std::string name;
  ino_t inode;
  unsigned char type;
};

// An open folder, and the folders above it.
struct Folder {
  const Folder* above;
  dev_t device;
  ino_t inode;
};

bool is_inside(const Folder* folder, const struct stat& status) {
  for (; folder != nullptr; folder = folder->above)
    if (folder->device == status.st_dev && folder->inode == status.st_ino) return true;
  return false;
}

bool is_sort_useful(int folder_fd) {
  struct statfs status {};
  if (fstatfs(folder_fd, &status) != 0) return true;
  constexpr std::uint32_t kNone[] = {kCifsMagic, kLustreMagic, NFS_SUPER_MAGIC, SMB_SUPER_MAGIC, TMPFS_MAGIC};
  return std::find(std::begin(kNone), std::end(kNone), static_cast<std::uint32_t>(status.f_type)) ==
         std::end(kNone);
}

void sort_as_grep(int folder_fd, std::vector<Entry>& entries) {
  const auto count = std::ssize(entries);
  if (count < kSortedMin || !is_sort_useful(folder_fd)) return;
  for (std::ptrdiff_t begin = 0; count - begin >= kSortedMin; begin += kSortedMax)
    std::sort(entries.begin() + begin, entries.begin() + std::min(count, begin + kSortedMax),
              [](const Entry& a, const Entry& b) { return a.inode < b.inode; });
}

// The kind of an entry.
enum class Kind { folder, file, device, none };

Kind kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return Kind::folder;
  if (S_ISREG(mode)) return Kind::file;
  return S_ISLNK(mode) ? Kind::none : Kind::device;
}

class Walk {
 public:
  Walk(const CommandLine& line, gbp::Names& files) : line_(line), files_(files) {}

  // `prefix` is put before the names of the entries.
  void below(const std::string& path, const std::string& prefix, const Folder& folder) {
    std::vector<Entry> entries;
    if (!list(path, entries)) files_.add(path);
    for (const Entry& entry : entries) take(entry, prefix + entry.name, folder);
  }

 private:
  static bool list(const std::string& path, std::vector<Entry>& entries) {
    DIR* stream = opendir(path.c_str());
    if (stream == nullptr) return false;
    errno = 0;
    while (const dirent* entry = readdir(stream))
      if (std::strcmp(entry->d_name, ".") != 0 && std::strcmp(entry->d_name, "..") != 0)
        entries.push_back({entry->d_name, entry->d_ino, entry->d_type});
    const bool is_whole = errno == 0;
    sort_as_grep(dirfd(stream), entries);
    closedir(stream);
    return is_whole;
  }

  void take(const Entry& entry, const std::string& path, const Folder& above) {
    struct stat status {};
    const Kind kind = look_at(entry, path, status);
    const Globs& globs = kind == Kind::folder ? line_.folder_globs : line_.file_globs;
    if (kind == Kind::none || globs.leave_out_found(entry.name.c_str())) return;
    if (kind != Kind::folder) {
      if (kind == Kind::file || are_devices_read()) files_.add(path == "-" ? "./-" : path);
    } else if (is_inside(&above, status)) {
      if (!line_.is_silent)
        std::fprintf(stderr, "grep: %s: warning: recursive directory loop\n", path.c_str());
    } else {
      below(path, path + '/', {&above, status.st_dev, status.st_ino});
    }
  }

  // Whether devices that are found are read.
  [[nodiscard]] bool are_devices_read() const {
    return line_.follows_links ? !line_.skips_devices : line_.reads_devices;
  }

  // Sets `status` for folders. An entry that is gone, or a dangling link, counts as a file, because grep then reports the error.
  Kind look_at(const Entry& entry, const std::string& path, struct stat& status) const {
    if (entry.type == DT_REG) return Kind::file;
    if (entry.type == DT_LNK && !line_.follows_links) return Kind::none;
    const int result = line_.follows_links ? stat(path.c_str(), &status) : lstat(path.c_str(), &status);
    return result != 0 ? Kind::file : kind_of(status.st_mode);
  }

  const CommandLine& line_;
  gbp::Names& files_;
};

// grep keeps one of several slashes at the end of a folder's name, and adds none.
std::string prefix_of(std::string& folder) {
  while (folder.size() > 2 && folder.ends_with("//")) folder.pop_back();
  return folder.ends_with('/') ? folder : folder + '/';
}

}  // namespace

gbp::Names find_files(const CommandLine& line) {
  gbp::Names files;
  Walk walk(line, files);
  struct stat status {};
  if (line.is_recursive && line.files.empty() && stat(".", &status) == 0)
    walk.below(".", "", {nullptr, status.st_dev, status.st_ino});
  for (const char* file : line.files) {
    // grep reports a file that cannot be opened before it applies globs.
    const bool can_be_judged = std::strcmp(file, "-") != 0 && stat(file, &status) == 0 &&
                               faccessat(AT_FDCWD, file, R_OK, AT_EACCESS) == 0;
    const bool is_folder = can_be_judged && S_ISDIR(status.st_mode);
    const Globs& globs = is_folder ? line.folder_globs : line.file_globs;
    if (can_be_judged && globs.leave_out_named(file)) continue;
    if (!is_folder || !line.is_recursive) {
      files.add(file);
      continue;
    }
    std::string folder = file;
    const std::string prefix = prefix_of(folder);
    walk.below(folder, prefix, {nullptr, status.st_dev, status.st_ino});
  }
  return files;
}

}  // namespace gb_grep
