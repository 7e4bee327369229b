// SPDX-License-Identifier: MIT
// openings: what opening a file by name changes on its file system: it may make the file, or take its data away.
//
// Knowledge assumed: open(2). A file that is made dirties its inode; one that is emptied is sent to the disk when it is closed, on file systems
//   that know how programs replace files (devices.cpp, FlushOfEmptied).
// Output observed: what the name stood for just before the call, and of a file that is made its number, after it.
// Inference drawn: what a creation costs; which dirty data was given up, and which will not stay dirty beyond the close.
// What breaks it: another process that makes or removes the file between the look and the call; a descriptor that has copies is flushed by the
//   close of the last, not by that of the first.
#pragma once

#include <fcntl.h>

#include "tools/discnice/descriptor/free_pass.hpp"
#include "tools/discnice/descriptor/open_files.hpp"
#include "tools/discnice/descriptor/warm_streak.hpp"
#include "tools/discnice/kernel/account.hpp"
#include "tools/discnice/observe/verification.hpp"

namespace discnice::shim {

/// What a name stood for just before it was opened.
struct Opening {
  bool makes_file = false;
  bool is_file = false;
  FileId file;
  std::uint64_t size_bytes = 0;
  ThreadAccount account_before{};  // of a call that makes a file, while that is measured
};

/// True when these flags of open() neither make a file by its name nor empty one: there is nothing to look at before it.
inline bool leaves_as_it_is(int flags) {
  return (flags & (O_CREAT | O_TRUNC)) == 0;
}

/// What of an opening has to be known before it and after it.
enum class OpenWay : std::uint8_t {
  looked_at,     // the usual way
  assumed_warm,  // one more file in a warm streak that is only read: taken for one like those before it
  assumed_made,  // one more that is made, and taken for one in memory
};

/// Whether an opening with these flags may go to the kernel at once. Every fourth of them asks the clock whether the account is to be looked at,
/// which is what the usual way does, and each takes that when there is anything to pay or the bytes of the term are used up.
__attribute__((always_inline)) inline OpenWay open_way(int flags) {
  constexpr int kMakingAlone = O_CREAT | O_EXCL;
  constexpr int kOtherwise = O_ACCMODE | O_CREAT | O_TRUNC | O_DIRECT | O_DIRECTORY | O_PATH;
  const bool is_making = (flags & (kMakingAlone | O_TRUNC | O_TMPFILE)) == kMakingAlone;
  if (!is_making && (flags & kOtherwise) != O_RDONLY) return OpenWay::looked_at;
  const std::uint32_t left =
      (is_making ? detail::made_left : detail::assumed_left).load(std::memory_order_relaxed);
  if (left == 0 || !has_job_at_hand() || are_passes_used_up()) return OpenWay::looked_at;
  const Job& here = *detail::joined.load(std::memory_order_relaxed);
  if (!is_without_debt(here) || (left % kAssumedAtOnce == 0 && is_settlement_stale(here)))
    return OpenWay::looked_at;
  return is_making ? OpenWay::assumed_made : OpenWay::assumed_warm;
}

/// A descriptor that such a call has opened in this term, or -1. Returns it.
__attribute__((always_inline)) inline int opened_at_once(int fd, OpenWay way, std::uint32_t term) {
  OpenFile* file = known_open_file(fd);
  if (fd < 0) return fd;
  if (file == nullptr) {
    renew_opened_file(fd, way == OpenWay::assumed_made);
    return fd;
  }
  renew(*file, way == OpenWay::assumed_made);
  if (way == OpenWay::assumed_made) {
    file->is_assumed_in_memory.store(true, std::memory_order_relaxed);
    take_one(detail::made_left);
    return fd;
  }
  take_one(detail::assumed_left);
  file->assumed_bytes.store(1, std::memory_order_relaxed);
  give_pass(*file, term);
  return fd;
}

/// A descriptor that such a call has just opened by name, or -1. Returns it.
int opened_as_it_is(int fd, int flags);

/// Looks, where the flags may change something: one system call. Else nothing is known, and nothing needs to be.
Opening before_opening(int folder, const char* path, int flags);

/// A descriptor that any call has just opened by name, or -1. Returns it.
int opened(int fd, int flags, const Opening& opening);

/// Before a descriptor is closed: its file may be sent to the disk by that.
void flush_before_close(int fd);

}  // namespace discnice::shim
