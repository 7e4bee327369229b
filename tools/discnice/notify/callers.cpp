// SPDX-License-Identifier: MIT
#include "tools/discnice/notify/callers.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <sstream>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "toolbox/base/call_numbers.hpp"
#include "tools/discnice/descriptor/devices.hpp"
#include "tools/discnice/kernel/disks.hpp"
#include "tools/discnice/processes/processes.hpp"

namespace discnice::notify {
namespace {

using gray::base::ScopedFd;

// What was found out about a process is valid for this time. The process may begin to serve a file system, and the kernel may give its number to
// another process.
constexpr std::uint64_t kJudgedNs = 250'000'000;
constexpr std::size_t kThreadsMax = 256;

// File systems whose files lie on a disk of this machine, and that no program serves.
constexpr const char* kLocal[] = {"ext2", "ext3", "ext4", "xfs",   "btrfs",
                                  "f2fs", "jfs",  "vfat", "exfat", "ntfs3"};

// The text after `key`; empty when the text does not contain the key.
std::string value_of(const std::string& text, const std::string& key) {
  const auto at = text.find(key);
  std::istringstream rest(at == std::string::npos ? "" : text.substr(at + key.size()));
  std::string value;
  rest >> value;
  return value;
}

// Returns 0 when the thread no longer exists.
pid_t process_of(pid_t thread) {
  return std::atoi(value_of(processes::read_proc(thread, "status"), "\nTgid:").c_str());
}

bool has_ended(int process) {
  pollfd end{process, POLLIN, 0};
  return poll(&end, 1, 0) != 0;
}

// Uses the kernel's table of mounts, because the file system itself might have to ask another process.
std::string file_system_of(pid_t thread, int fd) {
  const std::string mount =
      value_of(processes::read_proc(thread, fmt::format("fdinfo/{}", fd).c_str()), "\nmnt_id:");
  std::istringstream mounts(processes::read_proc(thread, "mountinfo"));
  for (std::string line; !mount.empty() && std::getline(mounts, line);)
    if (line.compare(0, mount.size() + 1, mount + " ") == 0) return value_of(line, " - ");
  return "";
}

}  // namespace

// The kernel uses process numbers again after it has used the largest number.
const Caller* Callers::find(pid_t thread, std::uint64_t now_ns) {
  const auto known = processes_.find(thread);
  pid_t pid = known == processes_.end() ? 0 : known->second;
  if (pid == 0 || syscall(SYS_tgkill, pid, thread, 0) != 0) {
    pid = process_of(thread);
    if (pid == 0) return nullptr;
    processes_[thread] = pid;
  }
  if (!exchange_.is_held(pid)) return nullptr;
  const auto before = callers_.find(pid);
  if (before == callers_.end() || now_ns - before->second.judged_at_ns >= kJudgedNs) {
    forget_ended();
    Caller& caller = callers_[pid];
    if (!caller.process.is_open()) caller.process.reset(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
    caller.pid = pid;
    caller.serves_files = processes::serves_files(pid);
    caller.judged_at_ns = now_ns;
  }
  const Caller& caller = callers_[pid];
  return caller.process.is_open() && !caller.serves_files ? &caller : nullptr;
}

void Callers::forget_ended() {
  for (auto one = callers_.begin(); one != callers_.end();) {
    const bool is_gone = !one->second.process.is_open() || has_ended(one->second.process.get());
    one = is_gone ? callers_.erase(one) : std::next(one);
  }
  if (processes_.size() > kThreadsMax) processes_.clear();
}

protocol::Disk* Callers::disk_of(pid_t thread, int fd, const std::string& path, std::uint64_t device) {
  const auto known = disks_.find(device);
  if (known != disks_.end()) return known->second;
  protocol::Disk* disk = nullptr;
  const std::string kind = file_system_of(thread, fd);
  if (std::any_of(std::begin(kLocal), std::end(kLocal), [&](const char* one) { return kind == one; })) {
    const ScopedFd found(open(path.c_str(), O_PATH | O_CLOEXEC));
    guest::Device* below = found.is_open() ? guest::device_of(*job_.segment, found.get(), device) : nullptr;
    if (below != nullptr && !below->is_free && !below->is_served) disk = guest::disk_of(job_, *below);
  }
  disks_[device] = disk;
  return disk;
}

CalledFile Callers::file_of(pid_t thread, int fd) {
  const std::string path = fmt::format("/proc/{}/fd/{}", thread, fd);
  struct statx status {};
  if (statx(AT_FDCWD, path.c_str(), AT_STATX_DONT_SYNC, STATX_TYPE | STATX_SIZE | STATX_INO, &status) != 0 ||
      !S_ISREG(status.stx_mode))
    return {};
  const std::uint64_t device = makedev(status.stx_dev_major, status.stx_dev_minor);
  return {disk_of(thread, fd, path, device), static_cast<std::int64_t>(status.stx_size), device,
          status.stx_ino};
}

ScopedFd Callers::take_file(const Caller& caller, int fd) {
  return ScopedFd(static_cast<int>(syscall(SYS_pidfd_getfd, caller.process.get(), fd, 0)));
}

bool Callers::is_it(const ScopedFd& taken, const CalledFile& file) {
  struct stat status {};
  return fstat(taken.get(), &status) == 0 && status.st_dev == file.device && status.st_ino == file.inode;
}

}  // namespace discnice::notify
