// SPDX-License-Identifier: MIT
// os: every host primitive the detectors use, with its contract. os_linux.cpp is the real one; unit tests
// link a simulated host.
//
// One error rule: a negative errno in a Result. Nothing here decides anything.
#pragma once

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
  bool is_trusted;  // the caller owns the file or may write it, so the kernel tells it the truth about
                    // residency; false when in doubt
};

/// Facts of a path, following symbolic links. As stat(2).
base::Result<FileFacts> look_at(const char* path);

/// Opens for reading, without blocking on a FIFO and without becoming a terminal's owner. The caller closes
/// it with close_file().
base::Result<int> open_file(const char* path);
void close_file(int fd);

/// Resident pages among [first_page, first_page + page_count), by cachestat. -ENOSYS, -EPERM (not trusted),
/// -EOPNOTSUPP.
base::Result<std::uint64_t> count_by_cachestat(int fd, std::uint64_t first_page, std::uint64_t page_count);

/// The same by mincore. Says "all" for files that are not trusted: check FileFacts::is_trusted first.
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

/// Address on the device of the file's first extent, without forcing delayed data out. -ENOENT: it has none
/// that could be told.
base::Result<std::uint64_t> first_extent_bytes(int fd);

/// Something different at each call, to seed probe offsets with.
std::uint64_t fresh_seed();

}  // namespace gray::os
