// SPDX-License-Identifier: MIT
// os: every host primitive the detectors use, with its contract. os_linux.cpp is the real one; unit tests
// link a simulated host.
//
// One error rule: a negative errno in a Result. Nothing here decides anything.
#pragma once

#include <cstddef>
#include <cstdint>

#include "toolbox/base/result.hpp"

namespace gray::os {

/// The unit in which pages are counted here. A host whose pages are larger converts; its file tails may then
/// be counted a page of this size too long.
inline constexpr std::uint64_t kPageBytes = 4096;

struct FileFacts {
  std::uint64_t device;
  std::uint64_t inode;
  std::uint64_t size_bytes;
  bool is_regular;
  std::uint32_t owner;       // as the caller's user namespace numbers it
  std::int64_t modified_ns;  // when its data was last changed, since 1970
};

/// The facts of a path, following symbolic links. As stat(2).
base::Result<FileFacts> look_at(const char* path);

/// The same for an open file. As fstat(2).
base::Result<FileFacts> look_at_open(int fd);

/// Whether the caller owns an open file or may write to it, so that the kernel's answers about cached pages are true; false if in doubt. `facts` are those of the file.
bool is_trusted(int fd, const FileFacts& facts);

/// Opens a file for reading. It does not block on a FIFO, and the process does not get a controlling terminal. The caller closes it with close_file().
base::Result<int> open_file(const char* path);
void close_file(int fd);

/// The number of resident pages among [first_page, first_page + page_count), by cachestat. -ENOSYS, -EPERM (not trusted), -EOPNOTSUPP.
base::Result<std::uint64_t> count_by_cachestat(int fd, std::uint64_t first_page, std::uint64_t page_count);

/// The same by mincore. It says "all" for files that are not trusted, so check is_trusted() first.
base::Result<std::uint64_t> count_by_mincore(int fd, std::uint64_t first_page, std::uint64_t page_count);

/// Tells the kernel that reads of this descriptor are random. So a probe brings in one page and leaves no marker.
void expect_random_reads(int fd);

struct TimedRead {
  std::uint64_t time_ns;
  bool has_slept;  // the thread gave up its processor of its own accord, as one that waits for a device does
};

/// Reads the one byte at an offset, and tells how long that took. If the host keeps no account of sleeping, has_slept is always false.
base::Result<TimedRead> time_one_byte(int fd, std::uint64_t offset_bytes);

/// Tells the kernel that reads of this descriptor are normal, so that it reads ahead.
void expect_reads_in_order(int fd);

/// Reads `bytes` from an offset on, up to the end of the file, and discards them. Tells how many there were and how long that took.
struct TimedStretch {
  std::uint64_t bytes;
  std::uint64_t time_ns;
};
base::Result<TimedStretch> time_stretch(int fd, std::uint64_t offset_bytes, std::uint64_t bytes);

/// Reads the one byte at an offset if that needs no waiting. True: it was in the page cache. False: it was not, and the host may be fetching the page now. -EOPNOTSUPP if the
/// file system does not offer this, -ENODATA past the end.
base::Result<bool> read_without_waiting(int fd, std::uint64_t offset_bytes);

/// What mapping one page told about the pages around it: the host maps the cached ones of these along with the page.
struct MappedWindow {
  std::uint64_t first_page;  // of those it told of
  std::uint32_t pages;       // how many they are, the one asked for included
  std::uint32_t resident;    // bit i: page first_page + i was cached before
  bool has_fetched;          // the page asked for was not, and is now
};

/// Maps the page with this offset for reading, and removes the mapping. At most this page is fetched. No signal is raised if the file shrinks meanwhile: the result is -EFAULT.
/// -ENODEV and others if it can't be mapped, -EOPNOTSUPP if the host does not tell what it mapped.
base::Result<MappedWindow> map_around(int fd, std::uint64_t offset_bytes, std::uint64_t file_bytes);

/// The largest number of pages that map_around() tells about. They are aligned to this number.
inline constexpr std::uint64_t kWindowPages = 16;

/// The last pages of a file, at most kEndPages, and which of them are cached. Fetches nothing, and does not change what the host remembers of the file. -EAGAIN if the file grows
/// meanwhile; else as map_around().
base::Result<MappedWindow> map_end(int fd, std::uint64_t file_bytes);

/// The largest number of pages that map_end() tells about: one page of the window lies behind the end.
inline constexpr std::uint64_t kEndPages = kWindowPages - 1;

/// The kind of the file system that holds a path, as statfs(2) numbers it.
base::Result<std::uint64_t> file_system_kind(const char* path);

/// Whether the disk with this device number has a moving part for seeks, as the host believes. The host is often wrong for virtual and RAID disks. -ENOENT if the host does not
/// tell.
base::Result<bool> is_rotational(std::uint64_t device);

/// The address on the device of the file's first extent. Delayed data is not forced out for this. -ENOENT: there is no known address.
base::Result<std::uint64_t> first_extent_bytes(int fd);

/// Maps a file of this many bytes, shared by all processes of this user; a new file holds zeros. Returns nullptr on failure. The file is made if it does not exist, in an
/// existing folder. It is refused if it belongs to somebody else, is a link, or has another size. The caller gives the mapping back with unmap_kept_file(); the file stays.
void* map_kept_file(const char* path, std::size_t bytes);
void unmap_kept_file(void* mapped, std::size_t bytes);

/// Seconds since a fixed moment that does not change while the host runs.
std::uint64_t seconds_now();

/// A different number at each call, used as a seed for probe offsets.
std::uint64_t fresh_seed();

}  // namespace gray::os
