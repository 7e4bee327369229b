// SPDX-License-Identifier: MIT
// process_memory_linux: the facts that Linux shows a process about another process's memory.
#include <cerrno>
#include <cstring>

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "libgray/src/os/process_memory_os.hpp"

namespace gray::os {
namespace {

// The value for clear_refs that means all pages: file pages and pages of the process alone.
constexpr char kAllPages[] = "1";
constexpr char kGuestName[] = "anon_inode:kvm-vm";

std::string file_of(pid_t pid, const char* name) {
  return "/proc/" + std::to_string(pid) + "/" + name;
}

}  // namespace

base::ScopedFd open_memory_sums(pid_t pid) {
  return base::ScopedFd::open(file_of(pid, "smaps_rollup").c_str(), O_RDONLY);
}

base::ScopedFd open_use_marks(pid_t pid) {
  return base::ScopedFd::open(file_of(pid, "clear_refs").c_str(), O_WRONLY);
}

int read_again(const base::ScopedFd& file, std::string& text) {
  text.clear();
  char part[4096];
  for (;;) {
    const ssize_t length = pread(file.get(), part, sizeof part, static_cast<off_t>(text.size()));
    if (length < 0 && errno == EINTR) continue;
    if (length < 0) return -errno;
    if (length == 0) return text.empty() ? -ESRCH : 0;
    text.append(part, static_cast<std::size_t>(length));
  }
}

int clear_use_marks(const base::ScopedFd& file) {
  while (write(file.get(), kAllPages, sizeof kAllPages - 1) < 0) {
    if (errno != EINTR) return -errno;
  }
  return 0;
}

bool runs_guest(pid_t pid) {
  DIR* folder = opendir(file_of(pid, "fd").c_str());
  if (folder == nullptr) return false;
  bool is_found = false;
  while (const dirent* entry = is_found ? nullptr : readdir(folder)) {
    char target[sizeof kGuestName - 1];
    const ssize_t length = readlinkat(dirfd(folder), entry->d_name, target, sizeof target);
    is_found = length == sizeof target && std::memcmp(target, kGuestName, sizeof target) == 0;
  }
  closedir(folder);
  return is_found;
}

}  // namespace gray::os
