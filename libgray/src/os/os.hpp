// SPDX-License-Identifier: MIT
// os: every system call that the detectors use, with its contract. os_linux.cpp is the real implementation; unit tests link a simulated host.
//
// There is one rule for errors: a negative errno in a Result. These functions make no decisions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "toolbox/base/result.hpp"

namespace gray::os {

/// All functions here count pages of this size. On a host with larger pages the numbers are converted. The end of a file may then count some pages too many.
inline constexpr std::uint64_t kPageBytes = 4096;

struct FileFacts {
  std::uint64_t device;
  std::uint64_t inode;
  std::uint64_t size_bytes;
  bool is_regular;
  std::uint32_t owner;       // the number in the caller's user namespace
  std::int64_t modified_ns;  // time of the last change of its data, since 1970
};

/// Facts about the file at a path, following symbolic links. Errors: as stat(2).
base::Result<FileFacts> look_at(const char* path);

/// Same as look_at(), for an open file. Errors: as fstat(2).
base::Result<FileFacts> look_at_open(int fd);

/// Whether the caller owns an open file or may write to it. Then the kernel answers truthfully which pages are resident. False when in doubt. `facts` are those
/// of the file.
bool is_trusted(int fd, const FileFacts& facts);

/// Opens for reading, without blocking on a FIFO, and without acquiring a controlling terminal. The caller closes
/// it with close_file().
base::Result<int> open_file(const char* path);
void close_file(int fd);

/// The number of resident pages among [first_page, first_page + page_count), by cachestat. -ENOSYS, -EPERM (not trusted), -EOPNOTSUPP.
base::Result<std::uint64_t> count_by_cachestat(int fd, std::uint64_t first_page, std::uint64_t page_count);

/// Same as count_by_cachestat(), but uses mincore. mincore answers "all" for files that are not trusted, so check is_trusted()
/// first.
base::Result<std::uint64_t> count_by_mincore(int fd, std::uint64_t first_page, std::uint64_t page_count);

/// Tells the kernel that reads of this descriptor are random, so that a probe fetches one page and sets no read-ahead mark.
void expect_random_reads(int fd);

struct TimedRead {
  std::uint64_t time_ns;
  bool has_slept;  // the thread gave up its processor voluntarily, as it does when it waits for a device
};

/// Reads the byte at an offset and measures the time. When the host does not count sleeps, has_slept is always false.
base::Result<TimedRead> time_one_byte(int fd, std::uint64_t offset_bytes);

/// Tells the kernel that reads of this descriptor are in the usual order, so that it reads ahead.
void expect_reads_in_order(int fd);

/// Reads `bytes` bytes from an offset on, at most to the end of the file, and discards them. Returns how many bytes were read and how long that took.
struct TimedStretch {
  std::uint64_t bytes;
  std::uint64_t time_ns;
};
base::Result<TimedStretch> time_stretch(int fd, std::uint64_t offset_bytes, std::uint64_t bytes);

/// Reads the byte at an offset if that needs no waiting. True: it was in the page cache. False: it was not in the page cache, and the host may be fetching the
/// page now. -EOPNOTSUPP where the file system does not offer this, -ENODATA past the end.
base::Result<bool> read_without_waiting(int fd, std::uint64_t offset_bytes);

/// The result of mapping one page: the host also maps the cached pages around it.
struct MappedWindow {
  std::uint64_t first_page;  // the first page of the window
  std::uint32_t pages;       // how many pages the window has, including the requested page
  std::uint32_t resident;    // bit i: page first_page + i was cached before
  bool has_fetched;          // the requested page was not cached, and was fetched
};

/// Maps the page at an offset for reading, and unmaps it again. At most that page is fetched. If the file shrinks in the meantime, the answer is -EFAULT, and no signal is
/// raised. -ENODEV and others if the file cannot be mapped, -EOPNOTSUPP if the host does not tell which pages it mapped.
base::Result<MappedWindow> map_around(int fd, std::uint64_t offset_bytes, std::uint64_t file_bytes);

/// The most pages that map_around() reports. Its windows are aligned to this number of pages.
inline constexpr std::uint64_t kWindowPages = 16;

/// The last pages of a file, at most kEndPages, and which of these pages are cached. Fetches no page, and does not change the host's record of the file's use.
/// -EAGAIN when the file grows meanwhile; else as map_around().
base::Result<MappedWindow> map_end(int fd, std::uint64_t file_bytes);

/// The most pages that map_end() reports: one page of a window lies behind the end of the file.
inline constexpr std::uint64_t kEndPages = kWindowPages - 1;

/// The kind of file system that holds a path: f_type of statfs(2).
base::Result<std::uint64_t> file_system_kind(const char* path);

/// Whether the host says that the disk with this device number is rotational. For virtual and RAID disks the host's answer is often wrong. -ENOENT: the host
/// does not tell.
base::Result<bool> is_rotational(std::uint64_t device);

/// The address of the file's first extent on its device. Delayed data is not forced to the disk. -ENOENT: the file has no known address.
base::Result<std::uint64_t> first_extent_bytes(int fd);

/// Maps a file of `bytes` bytes that all processes of this user share. The file is created, filled with zeros, if it does not exist. Its folder must exist.
/// Returns nullptr if the file belongs to another user, is a link, or has another size. The caller unmaps it with unmap_kept_file(); the file stays.
void* map_kept_file(const char* path, std::size_t bytes);
void unmap_kept_file(void* mapped, std::size_t bytes);

/// Seconds since a fixed moment that does not change while the host runs.
std::uint64_t seconds_now();

/// A different number at each call, as a seed for probe offsets.
std::uint64_t fresh_seed();

}  // namespace gray::os
