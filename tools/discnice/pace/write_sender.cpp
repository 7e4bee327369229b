// SPDX-License-Identifier: MIT
#include "tools/discnice/pace/write_sender.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "tools/discnice/descriptor/devices.hpp"
#include "tools/discnice/policy/lanes.hpp"
#include "tools/discnice/policy/registry.hpp"
#include "tools/discnice/policy/write_steps.hpp"
#include "tools/discnice/protocol/segment.hpp"

namespace discnice::pace {
namespace {

// The pacer's thread has a higher priority (pacer.cpp) than this thread. While the pacer waits for a processor, programs run on.
constexpr int kAfterThePacer = 10;

// The inodes of files on which a process has a lease (fcntl(2)). Opening such a file would break the lease. The kernel reports this to the holder
// by a signal, and the signal ends a holder that does not handle it.
std::set<std::uint64_t> leased_files() {
  std::set<std::uint64_t> leased;
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    std::istringstream words(line);
    std::string number;
    std::string kind;
    std::string state;
    std::string access;
    std::string holder;
    std::string file;
    words >> number >> kind >> state >> access >> holder >> file;
    const auto inode_at = file.rfind(':');
    if (kind == "LEASE" && inode_at != std::string::npos)
      leased.insert(std::strtoull(file.c_str() + inode_at + 1, nullptr, 10));
  }
  return leased;
}

// Opens a file once more that is open for writing there and lies on a disk, for reading when that is allowed. Returns a negative number for any other file.
int open_written(protocol::Segment& segment, const std::string& path, const std::set<std::uint64_t>& leased) {
  struct stat link {};
  if (lstat(path.c_str(), &link) != 0 || (link.st_mode & S_IWUSR) == 0) return -1;
  const int found = open(path.c_str(), O_PATH | O_CLOEXEC);
  struct statx status {};
  int fd = -1;
  // The server of a file system in user space is not asked, because the server may be one of the stopped processes.
  if (found >= 0 &&
      statx(found, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE | STATX_INO, &status) == 0 &&
      S_ISREG(status.stx_mode) && leased.count(status.stx_ino) == 0) {
    const auto number = makedev(status.stx_dev_major, status.stx_dev_minor);
    const guest::Device* device = guest::device_of(segment, found, number);
    const bool is_ours = device != nullptr && !device->is_free && !device->is_served;
    const std::string itself = fmt::format("/proc/self/fd/{}", found);
    for (const int mode : {O_RDONLY, O_WRONLY})
      if (is_ours && fd < 0) fd = open(itself.c_str(), mode | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  }
  if (found >= 0) close(found);
  return fd;
}

}  // namespace

std::uint64_t due_bytes(const Grant& grant, const protocol::Disk* disk) {
  if (grant.smooth_writes == SmoothWrites::off || !policy::has_limit(grant)) return 0;
  const bool gives_way = policy::policy_by_id(grant.policy_id).hold != nullptr;
  const std::uint64_t speed = disk == nullptr ? 0 : disk->write_bytes_per_s.load(std::memory_order_relaxed);
  return policy::step_bytes(grant, gives_way, speed);
}

WriteSender::~WriteSender() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  asked_for_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void WriteSender::ask(pid_t pid) {
  try {
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  } catch (const std::system_error&) {
    return;  // no thread can be started: the kernel sends all of it
  }
  {
    const std::lock_guard lock(mutex_);
    asked_.insert(pid);
  }
  asked_for_.notify_one();
}

bool WriteSender::is_busy_with(pid_t pid) {
  const std::lock_guard lock(mutex_);
  return asked_.count(pid) != 0;
}

void WriteSender::run() {
  setpriority(PRIO_PROCESS, 0, kAfterThePacer);
  std::unique_lock lock(mutex_);
  while (true) {
    asked_for_.wait(lock, [this] { return is_ending_ || !asked_.empty(); });
    if (is_ending_) return;
    const pid_t pid = *asked_.begin();
    lock.unlock();
    send_files_of(pid);
    lock.lock();
    asked_.erase(pid);
  }
}

// For a file that is not dirty the kernel sends nothing.
void WriteSender::send_files_of(pid_t pid) {
  std::error_code error;
  const std::set<std::uint64_t> leased = leased_files();
  for (const auto& entry : std::filesystem::directory_iterator(fmt::format("/proc/{}/fd", pid), error)) {
    const int fd = open_written(segment_, entry.path(), leased);
    if (fd < 0) continue;
    sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE);
    close(fd);
  }
}

}  // namespace discnice::pace
