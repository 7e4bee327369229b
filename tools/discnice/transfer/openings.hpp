// SPDX-License-Identifier: MIT
// openings: the changes that the opening of a file by name makes in its file system. The call may create the file, or empty it.
//
// Knowledge assumed: open(2). Creating a file dirties its inode. Some file systems know how programs replace files. They send an emptied file to the
//   disk when it is closed (devices.cpp, FlushOfEmptied).
// Output observed: the file that had the name just before the call; the inode number of a created file, after the call.
// Inference drawn: the cost of a creation; which dirty data is never written; which dirty data will be sent to the disk at the close.
// What breaks it: another process that creates or removes the file between the check and the call; copies of a descriptor, because the kernel
// flushes when the last copy is closed, and not when the first copy is closed.
#pragma once

#include <fcntl.h>

#include "tools/discnice/descriptor/open_files.hpp"
#include "tools/discnice/descriptor/trust.hpp"
#include "tools/discnice/kernel/account.hpp"
#include "tools/discnice/observe/verification.hpp"

namespace discnice::guest {

/// The file that had a name just before the name was opened.
struct Opening {
  bool makes_file = false;
  bool is_file = false;
  FileId file;
  std::uint64_t size_bytes = 0;
  ThreadAccount account_before{};  // for a call that creates a file, while that is measured
};

/// True when these flags of open() neither create a file by its name nor empty it. Then nothing has to be checked before the call.
inline bool leaves_as_it_is(int flags) {
  return (flags & (O_CREAT | O_TRUNC)) == 0;
}

/// True when these flags of open() only read a file, through the page cache.
constexpr bool is_only_read(int flags) {
  constexpr int kOtherwise = O_ACCMODE | O_CREAT | O_TRUNC | O_DIRECT | O_DIRECTORY | O_PATH;
  return (flags & kOtherwise) == O_RDONLY;
}

/// True when an opening with these flags may go to the kernel at once, and its file may be trusted without a look (trust.hpp). Every fourth such opening reads
/// the clock and checks whether the account has to be looked at, as the usual way does for every opening. An opening takes the usual way when the process has a
/// debt, or when the bytes of the term are used up.
__attribute__((always_inline)) inline bool is_trusted_unseen(int flags) {
  constexpr std::uint32_t kAtOnce = 4;
  const std::uint32_t left = trust.openings_left();
  if (left == 0 || !is_only_read(flags) || !has_job_at_hand() || trust.is_used_up()) return false;
  const Job& here = *detail::joined.load(std::memory_order_relaxed);
  return is_without_debt(here) && (left % kAtOnce != 0 || !is_settlement_stale(here));
}

/// Notes a descriptor that such a call has opened in this term, or -1. Returns its argument.
__attribute__((always_inline)) inline int opened_unseen(int fd, std::uint32_t term) {
  if (fd < 0) return fd;
  if (OpenFile* file = known_open_file(fd); file != nullptr) {
    renew(*file, false);
    trust.give_unseen(*file, term);
  } else {
    renew_opened_file(fd, false);
  }
  return fd;
}

/// Notes a descriptor that a call with such flags has just opened by name, or -1. Returns its argument.
int opened_as_it_is(int fd, int flags);

/// Looks at the name with one system call, when the flags may change the file. Otherwise the answer is empty, and no caller needs it.
Opening before_opening(int folder, const char* path, int flags);

/// Notes a descriptor that any call has just opened by name, or -1. Returns its argument.
int opened(int fd, int flags, const Opening& opening);

/// Called before a descriptor is closed: the close may send its file to the disk.
void flush_before_close(int fd);

}  // namespace discnice::guest
