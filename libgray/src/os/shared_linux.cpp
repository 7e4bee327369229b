// SPDX-License-Identifier: MIT
// shared_linux: the shared table of a user's processes, on Linux.
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libgray/src/os/memory_os.hpp"
#include "libgray/src/os/shared_os.hpp"
#include "toolbox/base/fd.hpp"
#include "toolbox/base/raw_sys.hpp"
#include "toolbox/base/shared_file.hpp"
#include "toolbox/base/units.hpp"

namespace gray::os {
namespace {

using base::Result;

constexpr int kTreeMax = 4096;  // the most processes examined, so that a fork bomb cannot stop this process

// The locked ranges are numbers only. They do not correspond to bytes of the file. Number 0 is the lock of the table. Each slot has a range of its own. The
// holder of a slot locks as many numbers as the claim has bytes, and one more number.
constexpr off_t kTableLock = 0;
constexpr unsigned kSlotShift = 55;

timespec time_of(std::uint64_t time_ns) {
  return {static_cast<time_t>(time_ns / 1'000'000'000U), static_cast<long>(time_ns % 1'000'000'000U)};
}

struct flock lock_of(short type, off_t start, off_t length) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = start;
  lock.l_len = length;
  return lock;
}

// The text behind the key, without leading blanks; null if the key does not occur.
const char* value_of(const std::string& text, const char* key) {
  const std::size_t place = text.find(key);
  if (place == std::string::npos) return nullptr;
  const std::size_t value = text.find_first_not_of(" \t", place + std::strlen(key));
  return value == std::string::npos ? nullptr : text.c_str() + value;
}

// The size in a line "KEY   12 kB"; 0 if there is no such line.
std::uint64_t size_of(const std::string& text, const char* key) {
  const char* value = value_of(text, key);
  return value == nullptr ? 0 : std::strtoull(value, nullptr, 10) * base::kKiB;
}

// The last number of the line of `key`; `missing` if there is no such line.
std::uint32_t last_number(const std::string& text, const char* key, std::uint32_t missing) {
  const char* value = value_of(text, key);
  if (value == nullptr) return missing;
  char* end = nullptr;
  for (auto number = std::strtoul(value, &end, 10); end != value; number = std::strtoul(value, &end, 10)) {
    missing = static_cast<std::uint32_t>(number);
    if (*end == '\n') break;
    value = end;
  }
  return missing;
}

off_t start_of(std::size_t slot) {
  return static_cast<off_t>(slot + 1) << kSlotShift;
}

int set_lock(int fd, struct flock lock) {
  while (fcntl(fd, F_SETLK, &lock) != 0) {
    if (errno == EACCES) return -EAGAIN;
    if (errno != EINTR) return -errno;
  }
  return 0;
}

// Checks, before each write, that the descriptor still belongs to the file, and the file to this user.
int check_same(const SharedMemory& memory) {
  struct stat status {};
  if (fstat(memory.fd, &status) != 0) return -EBADF;
  if (status.st_dev != memory.device || status.st_ino != memory.inode) return -EBADF;
  return status.st_uid == geteuid() ? 0 : -EPERM;
}

}  // namespace

Result<SharedMemory> open_shared(const std::string& name, std::size_t bytes) {
  const std::string path = "/dev/shm/" + name + "." + std::to_string(geteuid());
  std::uint64_t size_bytes = 0;
  base::ScopedFd file = base::open_shared_file(path.c_str(), &size_bytes);
  if (file.error() == -ENOENT) {
    file = base::make_shared_file(path.c_str());
    size_bytes = 0;
    if (file.error() == -EEXIST) file = base::open_shared_file(path.c_str(), &size_bytes);
  }
  if (!file.is_open()) return Result<SharedMemory>::failure(file.error());
  // The size is changed in place. So processes that have the file open keep using the same file.
  if (size_bytes != bytes && ftruncate(file.get(), static_cast<off_t>(bytes)) != 0)
    return Result<SharedMemory>::failure(-errno);
  struct stat status {};
  if (fstat(file.get(), &status) != 0) return Result<SharedMemory>::failure(-errno);
  void* address = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file.get(), 0);
  if (address == MAP_FAILED) return Result<SharedMemory>::failure(-errno);
  return SharedMemory{static_cast<std::uint32_t*>(address), file.release(), bytes, status.st_dev,
                      status.st_ino};
}

void close_shared(const SharedMemory& memory) {
  if (memory.address == nullptr) return;
  munmap(memory.address, memory.bytes);
  if (check_same(memory) != -EBADF) close(memory.fd);
}

int load_shared(const SharedMemory& memory, void* to, std::size_t bytes) {
  std::memset(to, 0, bytes);
  if (const int error = check_same(memory); error != 0) return error;
  return pread(memory.fd, to, bytes, 0) < 0 ? -errno : 0;
}

int store_shared(const SharedMemory& memory, std::size_t place, const void* from, std::size_t bytes) {
  if (const int error = check_same(memory); error != 0) return error;
  const ssize_t length = pwrite(memory.fd, from, bytes, static_cast<off_t>(place));
  if (length < 0) return -errno;
  return static_cast<std::size_t>(length) == bytes ? 0 : -ENOSPC;
}

int lock_shared(const SharedMemory& memory) {
  if (const int error = check_same(memory); error != 0) return error;
  return set_lock(memory.fd, lock_of(F_WRLCK, kTableLock, 1));
}

void unlock_shared(const SharedMemory& memory) {
  if (check_same(memory) == 0) set_lock(memory.fd, lock_of(F_UNLCK, kTableLock, 1));
}

int hold_slot(const SharedMemory& memory, std::size_t slot, std::uint64_t bytes) {
  if (const int error = check_same(memory); error != 0) return error;
  const off_t length = static_cast<off_t>(std::min(bytes, kSlotBytesMax)) + 1;
  const off_t start = start_of(slot);
  if (const int error = set_lock(memory.fd, lock_of(F_WRLCK, start, length)); error != 0) return error;
  return set_lock(memory.fd, lock_of(F_UNLCK, start + length, (off_t{1} << kSlotShift) - length));
}

void drop_slot(const SharedMemory& memory, std::size_t slot) {
  if (check_same(memory) == 0) set_lock(memory.fd, lock_of(F_UNLCK, start_of(slot), off_t{1} << kSlotShift));
}

SlotHolder slot_holder(const SharedMemory& memory, std::size_t slot) {
  struct flock lock = lock_of(F_WRLCK, start_of(slot), off_t{1} << kSlotShift);
  if (fcntl(memory.fd, F_GETLK, &lock) != 0 || lock.l_type == F_UNLCK) return {};
  const off_t end = lock.l_len == 0 ? start_of(slot + 1) : lock.l_start + lock.l_len;
  const off_t length = std::clamp(end, start_of(slot), start_of(slot + 1)) - start_of(slot);
  const auto pid = lock.l_pid > 0 ? static_cast<std::uint32_t>(lock.l_pid) : 0;
  return {true, pid, static_cast<std::uint64_t>(std::max<off_t>(length, 1)) - 1};
}

void wait_while(std::uint32_t* word, std::uint32_t seen, std::uint64_t timeout_ns) {
  const timespec time = time_of(timeout_ns);
  const long status =
      base::raw_syscall(SYS_futex, base::word(word), FUTEX_WAIT, static_cast<long>(seen), base::word(&time));
  if (status == -EFAULT) pause_ns(timeout_ns);
}

// The file's times are changed to wake its watchers. Watching for writes would not do, because every check by an asker also writes to the file.
void wake_all(const SharedMemory& memory, std::uint32_t* word) {
  base::raw_syscall(SYS_futex, base::word(word), FUTEX_WAKE, 0x7fffffff);
  futimens(memory.fd, nullptr);
}

Result<int> watch_shared(const SharedMemory& memory) {
  if (const int error = check_same(memory); error != 0) return Result<int>::failure(error);
  base::ScopedFd watch(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!watch.is_open()) return Result<int>::failure(-errno);
  // The watch uses the descriptor's path in /proc, because the file's name may belong to another file by now.
  const std::string path = "/proc/self/fd/" + std::to_string(memory.fd);
  if (inotify_add_watch(watch.get(), path.c_str(), IN_ATTRIB) < 0) return Result<int>::failure(-errno);
  return watch.release();
}

std::uint32_t process_id() {
  return static_cast<std::uint32_t>(getpid());
}

Result<ProcessLook> look_at_process(std::uint32_t pid) {
  std::string text;
  const auto gone = Result<ProcessLook>::failure(-ESRCH);
  if (read_text("/proc/" + std::to_string(pid) + "/status", text) != 0) return gone;
  // "State:\tS (sleeping)"; "Uid:" with the real, the effective and two more numbers; "NSpid:" with the number in each namespace.
  const char* state = value_of(text, "\nState:");
  const char* users = value_of(text, "\nUid:");
  if (state == nullptr || users == nullptr || *state == 'Z' || *state == 'X') return gone;
  char* effective = nullptr;
  std::strtoull(users, &effective, 10);
  const bool is_ours = std::strtoull(effective, nullptr, 10) == geteuid();
  const std::uint64_t own_bytes = size_of(text, "\nRssAnon:") + size_of(text, "\nVmSwap:");
  return ProcessLook{last_number(text, "\nNSpid:", pid), is_ours, *state == 'T' || *state == 't', own_bytes};
}

TreeMemory memory_of_tree(std::uint32_t pid) {
  std::string open_list = std::to_string(pid) + " ";
  std::uint64_t anonymous_bytes = 0;
  std::uint64_t shared_bytes_max = 0;
  std::uint64_t file_bytes_max = 0;
  std::string text;
  std::size_t place = 0;
  for (int i = 0; i < kTreeMax; ++i) {
    const std::size_t end = open_list.find(' ', place);
    if (end == std::string::npos) break;
    const std::string folder = "/proc/" + open_list.substr(place, end - place);
    place = end + 1;
    if (read_text(folder + "/status", text) == 0) {
      anonymous_bytes += size_of(text, "\nRssAnon:");
      shared_bytes_max = std::max(shared_bytes_max, size_of(text, "\nRssShmem:"));
      file_bytes_max = std::max(file_bytes_max, size_of(text, "\nRssFile:"));
    }
    const std::string main_thread = folder.substr(folder.rfind('/'));
    if (read_text(std::string(folder).append("/task").append(main_thread).append("/children"), text) == 0) {
      open_list.append(text);
    }
  }
  return {anonymous_bytes + shared_bytes_max, file_bytes_max};
}

}  // namespace gray::os
