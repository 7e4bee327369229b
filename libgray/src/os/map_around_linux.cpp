// SPDX-License-Identifier: MIT
// map_around_linux: finds on Linux which pages around a page are cached, by the kernel's "fault-around".
//
// Knowledge assumed: a read fault on a mapped file maps the wanted page. It also maps the other pages in the same aligned 64 KiB that are cached and up to date, without any disk
// request (mm/memory.c, do_fault_around).
// Output observed: the "present" bits in /proc/self/pagemap, which need no privilege, and whether the fault was a major fault.
// Inference drawn: a present page was cached; the wanted page was cached unless its fault was a major fault.
// At the end of a file the fault is made on the page behind the end: the kernel first maps the cached pages before it, then the fault fails, and no page is fetched. The 64 KiB
// are aligned in the address space, not in the file, so any fifteen pages and the page behind them can be chosen.
// What breaks it: a host with fault-around turned off maps only one page (the detector's self-test detects that); a page that is marked for read-ahead or locked for I/O is not
// mapped, and looks absent. The fault is made by MADV_POPULATE_READ (Linux 5.14), because it answers -EFAULT where a touch would raise SIGBUS.
#include <algorithm>
#include <cerrno>
#include <cstdint>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "libgray/src/os/os.hpp"

namespace gray::os {
namespace {

using base::Result;

constexpr std::size_t kWindowBytes = kWindowPages * kPageBytes;
constexpr std::size_t kRoomBytes =
    4 * kWindowBytes;  // room to align, to step over the end of a page table, and for the page behind
// The address range of one page of page table entries.
constexpr std::size_t kTableBytes = kPageBytes * kPageBytes / 8;
constexpr int kMadvPopulateRead = 22;
constexpr std::uint64_t kPresentBit = std::uint64_t{1} << 63U;

std::uint64_t pages_of(std::uint64_t bytes) {
  return bytes / kPageBytes + (bytes % kPageBytes != 0 ? 1 : 0);
}

long count_major_faults() {
  rusage usage{};
  return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_majflt : 0;
}

// Address space for a window, aligned in the same way as the kernel aligns the pages that it maps together. Behind the window lies a page that is already mapped, so that the
// page table exists: up to Linux 6.18 at least, a fault behind the end of a file maps single pages only if the page table (of 2 MiB) exists.
class Room {
 public:
  Room() : all_(mmap(nullptr, kRoomBytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    if (is_made()) madvise(window() + kWindowBytes, kPageBytes, kMadvPopulateRead);
  }
  ~Room() {
    if (is_made()) munmap(all_, kRoomBytes);
  }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;
  [[nodiscard]] bool is_made() const { return all_ != MAP_FAILED; }

  // Maps `pages` pages of a file from page `first` on, with advice for random reads, and faults in page `wanted` of them. Returns 0 or a negative errno; -EFAULT beyond the end
  // of the file.
  [[nodiscard]] int fault(int fd, std::uint64_t first, std::uint64_t pages, std::uint64_t wanted) const {
    if (!is_made()) return -ENOMEM;
    void* mapped = mmap(window(), pages * kPageBytes, PROT_READ, MAP_SHARED | MAP_FIXED, fd,
                        static_cast<off_t>(first * kPageBytes));
    if (mapped == MAP_FAILED) return -errno;
    madvise(mapped, pages * kPageBytes, MADV_RANDOM);
    if (madvise(window() + wanted * kPageBytes, kPageBytes, kMadvPopulateRead) == 0) return 0;
    return errno == EINVAL ? -EOPNOTSUPP : -errno;
  }

  [[nodiscard]] char* window() const {
    const auto start = reinterpret_cast<std::uintptr_t>(all_);
    std::uintptr_t window = (start + kWindowBytes - 1) / kWindowBytes * kWindowBytes;
    if ((window + kWindowBytes) % kTableBytes == 0)
      window += kWindowBytes;  // the page behind lies in another page table
    return static_cast<char*>(all_) + (window - start);
  }

 private:
  void* all_;
};

// Bit i of the result says that page i of the window is present. A negative errno means that the host does not tell.
Result<std::uint32_t> present_pages(const char* window, std::uint64_t pages) {
  std::uint64_t entries[kWindowPages] = {};
  const int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return Result<std::uint32_t>::failure(-EOPNOTSUPP);
  const auto place =
      static_cast<off_t>(reinterpret_cast<std::uintptr_t>(window) / kPageBytes * sizeof entries[0]);
  const ssize_t length = pread(fd, entries, pages * sizeof entries[0], place);
  close(fd);
  if (length != static_cast<ssize_t>(pages * sizeof entries[0]))
    return Result<std::uint32_t>::failure(-EOPNOTSUPP);
  std::uint32_t bits = 0;
  for (std::uint64_t i = 0; i < pages; ++i) bits |= (entries[i] & kPresentBit) != 0 ? 1U << i : 0U;
  return bits;
}

}  // namespace

Result<MappedWindow> map_around(int fd, std::uint64_t offset_bytes, std::uint64_t file_bytes) {
  if (sysconf(_SC_PAGESIZE) != static_cast<long>(kPageBytes))
    return Result<MappedWindow>::failure(-EOPNOTSUPP);
  if (offset_bytes >= file_bytes) return Result<MappedWindow>::failure(-ENODATA);
  const Room room;
  const std::uint64_t first = offset_bytes / kWindowBytes * kWindowPages;
  const std::uint64_t pages = std::min(kWindowPages, pages_of(file_bytes) - first);
  const std::uint64_t wanted = offset_bytes / kPageBytes - first;
  const long major_faults = count_major_faults();
  const int error = room.fault(fd, first, pages, wanted);
  if (error != 0) return Result<MappedWindow>::failure(error);
  const bool has_fetched = count_major_faults() != major_faults;
  const Result<std::uint32_t> present = present_pages(room.window(), pages);
  if (!present) return Result<MappedWindow>::failure(present.error());
  const std::uint32_t asked_for = 1U << wanted;
  const std::uint32_t resident = has_fetched ? present.value() & ~asked_for : present.value() | asked_for;
  return MappedWindow{first, static_cast<std::uint32_t>(pages), resident, has_fetched};
}

Result<MappedWindow> map_end(int fd, std::uint64_t file_bytes) {
  if (sysconf(_SC_PAGESIZE) != static_cast<long>(kPageBytes))
    return Result<MappedWindow>::failure(-EOPNOTSUPP);
  if (file_bytes == 0) return Result<MappedWindow>::failure(-ENODATA);
  const Room room;
  const std::uint64_t all = pages_of(file_bytes);
  const std::uint64_t pages = std::min(kEndPages, all);
  const int error = room.fault(fd, all - pages, pages + 1, pages);
  // The file has grown, so that page was inside it.
  if (error == 0) return Result<MappedWindow>::failure(-EAGAIN);
  if (error != -EFAULT) return Result<MappedWindow>::failure(error);
  const Result<std::uint32_t> present = present_pages(room.window(), pages);
  if (!present) return Result<MappedWindow>::failure(present.error());
  return MappedWindow{all - pages, static_cast<std::uint32_t>(pages), present.value(), false};
}

}  // namespace gray::os
