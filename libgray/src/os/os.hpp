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

/// Facts of a path, following symbolic links. As stat(2).
base::Result<FileFacts> look_at(const char* path);

/// The same of an open file. As fstat(2).
base::Result<FileFacts> look_at_open(int fd);

/// Whether the caller owns an open file or may write it, so that the kernel tells it the truth about residency; false when
/// in doubt. `facts` are the file's.
bool is_trusted(int fd, const FileFacts& facts);

/// Opens for reading, without blocking on a FIFO and without becoming a terminal's owner. The caller closes
/// it with close_file().
base::Result<int> open_file(const char* path);
void close_file(int fd);

/// Resident pages among [first_page, first_page + page_count), by cachestat. -ENOSYS, -EPERM (not trusted),
/// -EOPNOTSUPP.
base::Result<std::uint64_t> count_by_cachestat(int fd, std::uint64_t first_page, std::uint64_t page_count);

/// The same by mincore. Says "all" for files that are not trusted: check is_trusted() first.
base::Result<std::uint64_t> count_by_mincore(int fd, std::uint64_t first_page, std::uint64_t page_count);

/// Tells the kernel that reads of this descriptor are random, so a probe brings in one page and leaves no
/// marker.
void expect_random_reads(int fd);

struct TimedRead {
  std::uint64_t time_ns;
  bool has_slept;  // the thread gave up its processor of its own accord, as one that waits for a device does
};

/// Reads the one byte at an offset and tells how long that took. Where the host keeps no account of sleeping,
/// has_slept is always false.
base::Result<TimedRead> time_one_byte(int fd, std::uint64_t offset_bytes);

/// Tells the kernel that reads of this descriptor are as it expects them: it reads ahead.
void expect_reads_in_order(int fd);

/// Reads `bytes` from an offset on, up to the end of the file, and throws them away. Tells how many there were and how long that took.
struct TimedStretch {
  std::uint64_t bytes;
  std::uint64_t time_ns;
};
base::Result<TimedStretch> time_stretch(int fd, std::uint64_t offset_bytes, std::uint64_t bytes);

/// Reads the one byte at an offset if that needs no waiting: true, it was in the page cache; false, it was not, and the
/// host may be fetching the page now. -EOPNOTSUPP where the file system does not offer this, -ENODATA past the end.
base::Result<bool> read_without_waiting(int fd, std::uint64_t offset_bytes);

/// What mapping one page told of the pages around it: the host maps those that are cached along with the one asked
/// for.
struct MappedWindow {
  std::uint64_t first_page;  // of those it told of
  std::uint32_t pages;       // how many they are, the one asked for included
  std::uint32_t resident;    // bit i: page first_page + i was cached before
  bool has_fetched;          // the page asked for was not, and is now
};

/// Maps the page that holds an offset, for reading, and takes the mapping away again. At most that page is fetched.
/// Raises no signal when the file shrinks meanwhile: -EFAULT. -ENODEV and others where it can't be mapped,
/// -EOPNOTSUPP where the host does not tell what it mapped.
base::Result<MappedWindow> map_around(int fd, std::uint64_t offset_bytes, std::uint64_t file_bytes);

/// The pages map_around() tells of at most: they are aligned to as many.
inline constexpr std::uint64_t kWindowPages = 16;

/// The last pages of a file, kEndPages at most, and which of them are cached. Fetches nothing, and changes nothing of what
/// the host remembers of the file. -EAGAIN when the file grows meanwhile; else as map_around().
base::Result<MappedWindow> map_end(int fd, std::uint64_t file_bytes);

/// The pages map_end() tells of at most: one of a window lies behind the end.
inline constexpr std::uint64_t kEndPages = kWindowPages - 1;

/// The kind of file system that holds a path, as statfs(2) numbers it.
base::Result<std::uint64_t> file_system_kind(const char* path);

/// Whether the disk below a device number has to move something to seek, as the host believes it: virtual and
/// RAID disks often claim it wrongly. -ENOENT where the host does not tell.
base::Result<bool> is_rotational(std::uint64_t device);

/// Address on the device of the file's first extent, without forcing delayed data out. -ENOENT: it has none
/// that could be told.
base::Result<std::uint64_t> first_extent_bytes(int fd);

/// A file of so many bytes, mapped to be shared by all processes of this user, zero where it is new; or nullptr. Made
/// when it is not there, in an existing folder; refused when it is somebody else's, a link, or of another size. The
/// caller gives the mapping back with unmap_kept_file(); the file stays.
void* map_kept_file(const char* path, std::size_t bytes);
void unmap_kept_file(void* mapped, std::size_t bytes);

/// Seconds since some fixed moment that does not change while the host runs.
std::uint64_t seconds_now();

/// Something different at each call, to seed probe offsets with.
std::uint64_t fresh_seed();

}  // namespace gray::os
