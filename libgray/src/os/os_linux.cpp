// SPDX-License-Identifier: MIT
// os_linux: the system calls of os.hpp on Linux.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>

#include "libgray/src/os/os.hpp"
#include "toolbox/base/clock.hpp"
#include "toolbox/base/raw_sys.hpp"

namespace gray::os {
namespace {

using base::raw_syscall;
using base::Result;
using base::word;

constexpr long kCachestatNumber = 451;  // the same on every architecture
constexpr std::uint64_t kMincorePagesMax = 16384;

struct CachestatRange {
  std::uint64_t offset_bytes;
  std::uint64_t length_bytes;
};

struct CachestatAnswer {
  std::uint64_t cached, dirty, writeback, evicted, recently_evicted;
};

// The number of units of kPageBytes in one page of the kernel. Pages are larger on some arm64 kernels (16 or 64 KiB).
std::uint64_t units_per_page() {
  static const std::uint64_t units = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) / kPageBytes;
  return units;
}

// How many times this thread has given up its processor to wait.
long count_sleeps() {
  rusage usage{};
  return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nvcsw : 0;
}

// A read that may not wait still starts read-ahead of a missing page (mm/filemap.c, filemap_get_pages). It finds the page if the disk is quick, or if the thread loses its
// processor in the meantime. So the disk reads that the kernel counts for this thread are checked.
long count_disk_reads() {
  rusage usage{};
  return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_inblock : 0;
}

// faccessat() of older glibc releases does not support an empty path. If the kernel lacks the call, "no" is the safe answer.
bool may_write_open(int fd) {
  constexpr long kFaccessat2Number = 439;  // the same on every architecture
  return raw_syscall(kFaccessat2Number, fd, word(""), W_OK, AT_EACCESS | AT_EMPTY_PATH) == 0;
}

template <typename T>
Result<T> failed(long result) {
  return Result<T>::failure(static_cast<int>(result));
}

FileFacts facts_of(const struct stat& status) {
  constexpr std::int64_t kNsPerSecond = 1'000'000'000;
  return {
      status.st_dev,           status.st_ino, static_cast<std::uint64_t>(status.st_size),
      S_ISREG(status.st_mode), status.st_uid, status.st_mtim.tv_sec * kNsPerSecond + status.st_mtim.tv_nsec};
}

}  // namespace

Result<FileFacts> look_at(const char* path) {
  struct stat status {};
  if (stat(path, &status) != 0) return failed<FileFacts>(-errno);
  return facts_of(status);
}

Result<FileFacts> look_at_open(int fd) {
  struct stat status {};
  if (fstat(fd, &status) != 0) return failed<FileFacts>(-errno);
  return facts_of(status);
}

// The kernel answers truthfully to the owner, to a process with CAP_FOWNER, and to a process that may write to the file. Being root is not enough: root of a user namespace owns
// no file outside it. The effective ids count. CAP_FOWNER alone is not checked, because "no" only costs a few probes.
bool is_trusted(int fd, const FileFacts& facts) {
  return facts.owner == geteuid() || may_write_open(fd);
}

Result<int> open_file(const char* path) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (fd < 0) return failed<int>(-errno);
  return fd;
}

void close_file(int fd) {
  close(fd);
}

Result<std::uint64_t> count_by_cachestat(int fd, std::uint64_t first_page, std::uint64_t page_count) {
  const CachestatRange range{first_page * kPageBytes, page_count * kPageBytes};
  CachestatAnswer answer{};
  const long result = raw_syscall(kCachestatNumber, fd, word(&range), word(&answer), 0);
  if (base::is_raw_error(result)) return failed<std::uint64_t>(result);
  return std::min(answer.cached * units_per_page(), page_count);
}

Result<std::uint64_t> count_by_mincore(int fd, std::uint64_t first_page, std::uint64_t page_count) {
  const auto pages = std::make_unique<unsigned char[]>(kMincorePagesMax);
  std::uint64_t resident = 0;
  for (std::uint64_t done = 0; done < page_count;) {
    const std::uint64_t part = page_count - done < kMincorePagesMax ? page_count - done : kMincorePagesMax;
    const std::size_t bytes = part * kPageBytes;
    void* address =
        mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd, static_cast<off_t>((first_page + done) * kPageBytes));
    if (address == MAP_FAILED) return failed<std::uint64_t>(-errno);
    const int status = mincore(address, bytes, pages.get());
    const int error = errno;
    munmap(address, bytes);
    if (status != 0) return failed<std::uint64_t>(-error);
    const std::uint64_t host_pages = (part + units_per_page() - 1) / units_per_page();
    for (std::uint64_t i = 0; i < host_pages; ++i) resident += pages[i] & 1U;
    done += part;
  }
  return std::min(resident * units_per_page(), page_count);
}

void expect_random_reads(int fd) {
  posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
}

Result<TimedRead> time_one_byte(int fd, std::uint64_t offset_bytes) {
  char byte = 0;
  const long sleeps = count_sleeps();
  const std::uint64_t start_ns = base::monotonic_ns();
  const ssize_t length = pread(fd, &byte, 1, static_cast<off_t>(offset_bytes));
  const std::uint64_t end_ns = base::monotonic_ns();
  if (length < 0) return failed<TimedRead>(-errno);
  if (length == 0) return failed<TimedRead>(-ENODATA);  // the file has shrunk
  return TimedRead{end_ns - start_ns, count_sleeps() != sleeps};
}

void expect_reads_in_order(int fd) {
  posix_fadvise(fd, 0, 0, POSIX_FADV_NORMAL);
}

Result<TimedStretch> time_stretch(int fd, std::uint64_t offset_bytes, std::uint64_t bytes) {
  constexpr std::uint64_t kBlockBytes = 128 * 1024;
  const auto block = std::make_unique_for_overwrite<char[]>(kBlockBytes);
  TimedStretch stretch{0, 0};
  const std::uint64_t start_ns = base::monotonic_ns();
  while (stretch.bytes < bytes) {
    const std::uint64_t wanted = std::min(kBlockBytes, bytes - stretch.bytes);
    const ssize_t length = pread(fd, block.get(), wanted, static_cast<off_t>(offset_bytes + stretch.bytes));
    if (length < 0) return failed<TimedStretch>(-errno);
    if (length == 0) break;
    stretch.bytes += static_cast<std::uint64_t>(length);
  }
  stretch.time_ns = base::monotonic_ns() - start_ns;
  return stretch;
}

Result<bool> read_without_waiting(int fd, std::uint64_t offset_bytes) {
  char byte = 0;
  const iovec part{&byte, 1};
  const long reads = count_disk_reads();
  const ssize_t length = preadv2(fd, &part, 1, static_cast<off_t>(offset_bytes), RWF_NOWAIT);
  if (length < 0 && errno == EAGAIN) return false;
  if (length < 0) return failed<bool>(-errno);
  if (length == 0) return failed<bool>(-ENODATA);
  return count_disk_reads() == reads;
}

Result<std::uint64_t> file_system_kind(const char* path) {
  struct statfs status {};
  if (statfs(path, &status) != 0) return failed<std::uint64_t>(-errno);
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(status.f_type));
}

// A partition has no queue of its own, so the queue of its disk, one folder up, is used.
Result<bool> is_rotational(std::uint64_t device) {
  for (const char* place : {"queue", "../queue"}) {
    char path[96];
    std::snprintf(path, sizeof path, "/sys/dev/block/%u:%u/%s/rotational", major(device), minor(device),
                  place);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) continue;
    char digit = 0;
    const ssize_t length = read(fd, &digit, 1);
    close(fd);
    if (length == 1) return digit == '1';
  }
  return failed<bool>(-ENOENT);
}

Result<std::uint64_t> first_extent_bytes(int fd) {
  // fiemap ends in an array of unknown length; this struct has room for one extent.
  struct {
    alignas(fiemap) unsigned char room[sizeof(fiemap) + sizeof(fiemap_extent)];
  } request{};
  auto* map = reinterpret_cast<fiemap*>(request.room);
  map->fm_length = FIEMAP_MAX_OFFSET;
  map->fm_extent_count = 1;
  if (ioctl(fd, FS_IOC_FIEMAP, map) != 0) return failed<std::uint64_t>(-errno);
  if (map->fm_mapped_extents == 0) return failed<std::uint64_t>(-ENOENT);
  fiemap_extent extent;
  std::memcpy(&extent, request.room + sizeof(fiemap), sizeof extent);
  constexpr std::uint32_t kNoAddress =
      FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_DELALLOC | FIEMAP_EXTENT_DATA_INLINE;
  if ((extent.fe_flags & kNoAddress) != 0) return failed<std::uint64_t>(-ENOENT);
  return extent.fe_physical;
}

void* map_kept_file(const char* path, std::size_t bytes) {
  const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, S_IRUSR | S_IWUSR);
  if (fd < 0) return nullptr;
  struct stat status {};
  const bool is_ours = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
                       (status.st_size == static_cast<off_t>(bytes) ||
                        (status.st_size == 0 && ftruncate(fd, static_cast<off_t>(bytes)) == 0));
  void* mapped = is_ours ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
  close(fd);
  return mapped == MAP_FAILED ? nullptr : mapped;
}

void unmap_kept_file(void* mapped, std::size_t bytes) {
  munmap(mapped, bytes);
}

std::uint64_t seconds_now() {
  constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
  return base::monotonic_ns() / kNsPerSecond;
}

std::uint64_t fresh_seed() {
  return base::monotonic_ns() * 0x9e3779b97f4a7c15U + static_cast<std::uint64_t>(getpid());
}

}  // namespace gray::os
