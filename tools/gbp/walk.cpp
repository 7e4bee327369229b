// SPDX-License-Identifier: MIT
#include "tools/gbp/walk.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

#include "toolbox/cli/diagnostics.hpp"

namespace gbp {
namespace {

struct Folder {
  std::string path;
  dev_t device;
  ino_t inode;
};

bool matches(const std::vector<std::string>& globs, const char* text) {
  return std::any_of(globs.begin(), globs.end(), [text](const std::string& glob) {
    return fnmatch(glob.c_str(), text, FNM_PERIOD) == 0;
  });
}

class Walk {
 public:
  Walk(const WalkOptions& options, Names& files) : options_(options), files_(files) {}

  [[nodiscard]] bool has_failed() const { return has_failed_; }

  // Walks depth by depth, so that the folders of one depth can be sorted.
  void below(Folder top) {
    top_device_ = top.device;
    std::vector<Folder> folders;
    folders.push_back(std::move(top));
    while (!folders.empty()) {
      std::sort(folders.begin(), folders.end(), [](const Folder& a, const Folder& b) {
        return a.device != b.device ? a.device < b.device : a.inode < b.inode;
      });
      std::vector<Folder> deeper;
      for (const Folder& folder : folders) read_folder(folder, deeper);
      folders = std::move(deeper);
    }
  }

 private:
  void read_folder(const Folder& folder, std::vector<Folder>& deeper) {
    DIR* stream = opendir(folder.path.c_str());
    if (stream == nullptr) return fail(folder.path, errno);
    const std::string prefix = folder.path.back() == '/' ? folder.path : folder.path + '/';
    errno = 0;
    while (const dirent* entry = readdir(stream)) {
      if (std::strcmp(entry->d_name, ".") != 0 && std::strcmp(entry->d_name, "..") != 0)
        take(dirfd(stream), *entry, prefix, deeper);
      errno = 0;
    }
    if (errno != 0) fail(folder.path, errno);
    closedir(stream);
  }

  void take(int folder_fd, const dirent& entry, const std::string& prefix, std::vector<Folder>& deeper) {
    const std::string path = prefix + entry.d_name;
    if (matches(options_.exclude_globs, entry.d_name) || matches(options_.exclude_globs, path.c_str()))
      return;
    unsigned char type = entry.d_type;
    struct stat status {};
    if (type == DT_UNKNOWN ||
        type ==
            DT_DIR) {  // stat() is needed here, because a mount point has another i-number and device than its entry
      if (fstatat(folder_fd, entry.d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) return fail(path, errno);
      type = S_ISDIR(status.st_mode) ? DT_DIR : S_ISREG(status.st_mode) ? DT_REG : DT_UNKNOWN;
    }
    if (type == DT_DIR && !(options_.is_one_file_system && status.st_dev != top_device_))
      deeper.push_back({path, status.st_dev, status.st_ino});
    if (type == DT_REG && (options_.include_globs.empty() || matches(options_.include_globs, entry.d_name)))
      files_.add(path);
  }

  void fail(const std::string& path, int error) {
    gray::cli::warn("'{}': {}", path, gray::cli::error_text(error));
    has_failed_ = true;
  }

  const WalkOptions& options_;
  Names& files_;
  dev_t top_device_ = 0;
  bool has_failed_ = false;
};

}  // namespace

Names walk(const Names& given, const WalkOptions& options, bool& has_failed) {
  Names files;
  Walk walk(options, files);
  for (std::size_t i = 0; i < given.size(); ++i) {
    struct stat status {};
    if (stat(given[i], &status) == 0 && S_ISDIR(status.st_mode)) {
      walk.below({given[i], status.st_dev, status.st_ino});
    } else {
      files.add(given[i]);
    }
  }
  has_failed = has_failed || walk.has_failed();
  return files;
}

}  // namespace gbp
