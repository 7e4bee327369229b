// SPDX-License-Identifier: MIT
#include "microbench/passing_names.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "microbench/benchmark.hpp"
#include "toolbox/cli/diagnostics.hpp"

namespace microbench {
namespace {

using gray::base::ScopedFd;

constexpr std::string_view kStart = ".microbench.";
constexpr std::string_view kVaried = "XXXXXX";  // the form that mkdtemp() needs

constexpr int kOpenFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;

bool is_passing_name(std::string_view name) {
  return name.size() == kStart.size() + kVaried.size() && name.substr(0, kStart.size()) == kStart;
}

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};

// The names in the folder, without "." and "..". Empty if the folder cannot be read.
std::vector<std::string> names_in(int folder_fd) {
  std::vector<std::string> names;
  ScopedFd fd =
      ScopedFd::open(".", kOpenFolder, 0, folder_fd);  // closedir() closes the descriptor that it is given
  const std::unique_ptr<DIR, CloseFolder> folder(fd.is_open() ? fdopendir(fd.get()) : nullptr);
  if (!folder) return names;
  [[maybe_unused]] const int kept = fd.release();
  while (const dirent* entry = readdir(folder.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  return names;
}

bool is_own(const struct stat& status) {
  return status.st_uid == geteuid();
}

bool is_own_empty_file(int folder_fd, const std::string& name) {
  struct stat status {};
  return fstatat(folder_fd, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode) &&
         status.st_size == 0 && is_own(status);
}

void remove_folder(int directory_fd, const std::string& name) {
  const ScopedFd folder = ScopedFd::open(name.c_str(), kOpenFolder, 0, directory_fd);
  struct stat status {};
  if (!folder.is_open() || fstat(folder.get(), &status) != 0 || !is_own(status)) return;
  if (flock(folder.get(), LOCK_EX | LOCK_NB) != 0) return;  // the run that made it is still alive
  const std::vector<std::string> files = names_in(folder.get());
  for (const std::string& file : files)
    if (!is_own_empty_file(folder.get(), file)) return;
  for (const std::string& file : files) unlinkat(folder.get(), file.c_str(), 0);
  unlinkat(directory_fd, name.c_str(), AT_REMOVEDIR);
}

}  // namespace

std::string passing_name(const std::string& directory) {
  return fmt::format("{}/{}{}", directory, kStart, kVaried);
}

PassingFolder::PassingFolder(const std::string& directory) : path_(passing_name(directory)) {
  if (mkdtemp(path_.data()) == nullptr)
    throw NotAvailable(fmt::format("cannot make a folder there: {}", gray::cli::error_text(errno)));
  lock_ = ScopedFd::open(path_.c_str(), kOpenFolder);
  if (lock_.is_open()) flock(lock_.get(), LOCK_EX | LOCK_NB);
}

PassingFolder::~PassingFolder() {
  rmdir(path_.c_str());
}

void remove_leftovers(const std::string& directory) {
  const ScopedFd fd = ScopedFd::open(directory.c_str(), O_RDONLY | O_DIRECTORY);
  if (!fd.is_open()) return;
  for (const std::string& name : names_in(fd.get())) {
    if (!is_passing_name(name)) continue;
    if (is_own_empty_file(fd.get(), name)) {
      unlinkat(fd.get(), name.c_str(), 0);
    } else {
      remove_folder(fd.get(), name);
    }
  }
}

}  // namespace microbench
