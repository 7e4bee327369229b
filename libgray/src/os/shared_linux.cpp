// SPDX-License-Identifier: MIT
// shared_linux: notes shared between processes, on Linux.
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
#include "toolbox/base/clock.hpp"
#include "toolbox/base/fd.hpp"
#include "toolbox/base/raw_sys.hpp"

namespace gray::os {
namespace {

using base::Result;

constexpr std::uint64_t kLockRetryNs = 200'000;
constexpr int kTreeMax = 4096;  // processes looked at, lest a fork bomb keeps us

timespec time_of(std::uint64_t time_ns) {
  return {static_cast<time_t>(time_ns / 1'000'000'000U), static_cast<long>(time_ns % 1'000'000'000U)};
}

// An existing file first: with fs.protected_regular, O_CREAT on somebody else's is refused even if it is there.
base::ScopedFd open_or_make(const std::string& path, mode_t mode, bool may_make) {
  constexpr int kFlags = O_RDWR | O_NOFOLLOW | O_NONBLOCK;
  base::ScopedFd file = base::ScopedFd::open(path.c_str(), kFlags);
  if (file.error() != -ENOENT || !may_make) return file;
  file = base::ScopedFd::open(path.c_str(), kFlags | O_CREAT | O_EXCL, mode);
  if (file.is_open()) fchmod(file.get(), mode);  // whatever the umask
  if (file.error() == -EEXIST) return base::ScopedFd::open(path.c_str(), kFlags);
  return file;
}

int check_owner(int fd, bool is_for_all, struct stat& status) {
  if (fstat(fd, &status) != 0) return -errno;
  if (!S_ISREG(status.st_mode)) return -EPERM;
  return status.st_uid == (is_for_all ? 0 : geteuid()) ? 0 : -EPERM;
}

}  // namespace

Result<SharedMemory> open_shared(const std::string& name, std::size_t bytes, bool is_for_all) {
  const std::string path = "/dev/shm/" + name + (is_for_all ? "" : "." + std::to_string(geteuid()));
  const mode_t mode = is_for_all ? 0666 : 0600;
  base::ScopedFd file = open_or_make(path, mode, !is_for_all || geteuid() == 0);
  if (!file.is_open()) return Result<SharedMemory>::failure(file.error());
  struct stat status {};
  if (const int error = check_owner(file.get(), is_for_all, status); error != 0)
    return Result<SharedMemory>::failure(error);
  if (status.st_size == 0 && ftruncate(file.get(), static_cast<off_t>(bytes)) != 0)
    return Result<SharedMemory>::failure(-errno);
  if (status.st_size != 0 && status.st_size != static_cast<off_t>(bytes))
    return Result<SharedMemory>::failure(-EFBIG);
  // Room now, or a full /dev/shm kills us at the first write.
  if (const int error = posix_fallocate(file.get(), 0, static_cast<off_t>(bytes)); error != 0)
    return Result<SharedMemory>::failure(-error);
  void* address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (address == MAP_FAILED) return Result<SharedMemory>::failure(-errno);
  return SharedMemory{address, file.release()};
}

int load_shared(const SharedMemory& memory, void* to, std::size_t bytes) {
  const ssize_t length = pread(memory.fd, to, bytes, 0);
  if (length < 0) return -errno;
  std::memset(static_cast<char*>(to) + length, 0, bytes - static_cast<std::size_t>(length));
  return 0;
}

int store_shared(const SharedMemory& memory, const void* from, std::size_t bytes) {
  const ssize_t length = pwrite(memory.fd, from, bytes, 0);
  if (length < 0) return -errno;
  return static_cast<std::size_t>(length) == bytes ? 0 : -ENOSPC;
}

int lock_shared(const SharedMemory& memory, std::uint64_t timeout_ns) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  const std::uint64_t end_ns = base::monotonic_ns() + timeout_ns;
  for (;;) {
    if (fcntl(memory.fd, F_SETLK, &lock) == 0) return 0;
    if (errno != EAGAIN && errno != EACCES && errno != EINTR) return -errno;
    if (base::monotonic_ns() >= end_ns) return -ETIMEDOUT;
    pause_ns(kLockRetryNs);
  }
}

void unlock_shared(const SharedMemory& memory) {
  struct flock lock {};
  lock.l_type = F_UNLCK;
  lock.l_whence = SEEK_SET;
  fcntl(memory.fd, F_SETLK, &lock);
}

void wait_while(std::uint32_t* word, std::uint32_t seen, std::uint64_t timeout_ns) {
  const timespec time = time_of(timeout_ns);
  const long status =
      base::raw_syscall(SYS_futex, base::word(word), FUTEX_WAIT, static_cast<long>(seen), base::word(&time));
  if (status == -EFAULT) pause_ns(timeout_ns);
}

// The file's times are changed for those who watch it: what is written to it tells of each look of each asker, too.
void wake_all(const SharedMemory& memory, std::uint32_t* word) {
  base::raw_syscall(SYS_futex, base::word(word), FUTEX_WAKE, 0x7fffffff);
  futimens(memory.fd, nullptr);
}

Result<int> watch_shared(const SharedMemory& memory) {
  base::ScopedFd watch(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!watch.is_open()) return Result<int>::failure(-errno);
  // By its descriptor, for its name may be another file's by now.
  const std::string path = "/proc/self/fd/" + std::to_string(memory.fd);
  if (inotify_add_watch(watch.get(), path.c_str(), IN_ATTRIB) < 0) return Result<int>::failure(-errno);
  return watch.release();
}

std::uint32_t process_id() {
  return static_cast<std::uint32_t>(getpid());
}

Result<ProcessLook> look_at_process(std::uint32_t pid) {
  const auto gone = Result<ProcessLook>::failure(-ESRCH);
  std::string text;
  if (read_text("/proc/" + std::to_string(pid) + "/stat", text) != 0) return gone;
  // The name in parentheses may hold anything; the state is the first field behind it, the start the 20th.
  std::size_t place = text.rfind(')');
  if (place == std::string::npos || place + 2 >= text.size()) return gone;
  const char state = text[place + 2];
  if (state == 'Z' || state == 'X') return gone;
  constexpr int kFieldsBefore = 20;
  for (int i = 0; i < kFieldsBefore && place != std::string::npos; ++i) place = text.find(' ', place + 1);
  if (place == std::string::npos) return gone;
  return ProcessLook{std::strtoull(text.c_str() + place + 1, nullptr, 10), state == 'T' || state == 't'};
}

std::uint64_t anonymous_bytes_of_tree(std::uint32_t pid) {
  std::string open_list = std::to_string(pid) + " ";
  std::uint64_t pages = 0;
  std::string text;
  std::size_t place = 0;
  for (int i = 0; i < kTreeMax; ++i) {
    const std::size_t end = open_list.find(' ', place);
    if (end == std::string::npos) break;
    const std::string folder = "/proc/" + open_list.substr(place, end - place);
    place = end + 1;
    if (read_text(folder + "/statm", text) == 0) {
      char* after = nullptr;
      std::strtoull(text.c_str(), &after, 10);
      const std::uint64_t resident = std::strtoull(after, &after, 10);
      const std::uint64_t shared = std::strtoull(after, nullptr, 10);
      pages += resident - std::min(resident, shared);
    }
    const std::string main_thread = folder.substr(folder.rfind('/'));
    if (read_text(std::string(folder).append("/task").append(main_thread).append("/children"), text) == 0) {
      open_list.append(text);
    }
  }
  return pages * memory_page_bytes();
}

}  // namespace gray::os
