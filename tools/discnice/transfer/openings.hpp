// SPDX-License-Identifier: MIT
// openings: what opening a file by name changes on its file system. The opening may make the file, or remove its data.
//
// Knowledge assumed: open(2). A file that is made dirties its inode; one that is emptied is sent to the disk when it is closed, on file systems
//   that know how programs replace files (devices.cpp, FlushOfEmptied).
// Output observed: what the name stood for just before the call, and of a file that is made its number, after it.
// Inference drawn: what a creation costs; which dirty data was given up, and which will not stay dirty beyond the close.
// What breaks it: another process that makes or removes the file between the look and the call; a descriptor that has copies is flushed by the
//   close of the last, not by that of the first.
#pragma once

#include <fcntl.h>

#include "tools/discnice/descriptor/open_files.hpp"
#include "tools/discnice/descriptor/trust.hpp"
#include "tools/discnice/kernel/account.hpp"
#include "tools/discnice/observe/verification.hpp"

namespace discnice::guest {

/// What a name stood for just before it was opened.
struct Opening {
  bool makes_file = false;
  bool is_file = false;
  FileId file;
  std::uint64_t size_bytes = 0;
  ThreadAccount account_before{};  // of a call that makes a file, while that is measured
};

/// True if an open() with these flags neither makes a file nor empties one, so that nothing must be looked at before it.
inline bool leaves_as_it_is(int flags) {
  return (flags & (O_CREAT | O_TRUNC)) == 0;
}

/// True if these flags of open() are those of a file that is only read, through the page cache.
constexpr bool is_only_read(int flags) {
  constexpr int kOtherwise = O_ACCMODE | O_CREAT | O_TRUNC | O_DIRECT | O_DIRECTORY | O_PATH;
  return (flags & kOtherwise) == O_RDONLY;
}

/// True if an opening with these flags may go to the kernel at once, to be trusted unseen (trust.hpp). Every fourth such opening reads the clock to see whether the account must
/// be looked at; then the usual way does this. The usual way is also taken if there is anything to pay, or if the bytes of the term are used up.
__attribute__((always_inline)) inline bool is_trusted_unseen(int flags) {
  constexpr std::uint32_t kAtOnce = 4;
  const std::uint32_t left = trust.openings_left();
  if (left == 0 || !is_only_read(flags) || !has_job_at_hand() || trust.is_used_up()) return false;
  const Job& here = *detail::joined.load(std::memory_order_relaxed);
  return is_without_debt(here) && (left % kAtOnce != 0 || !is_settlement_stale(here));
}

/// Notes a descriptor that such a call has opened in this term, or -1. Returns it.
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

/// Notes a descriptor that a call with such flags has just opened by name, or -1. Returns it.
int opened_as_it_is(int fd, int flags);

/// Looks at the name if the flags may change something, by one system call. Otherwise nothing is known, and nothing needs to be known.
Opening before_opening(int folder, const char* path, int flags);

/// Notes a descriptor that any call has just opened by name, or -1. Returns it.
int opened(int fd, int flags, const Opening& opening);

/// To be called before a descriptor is closed: the close may send its file to the disk.
void flush_before_close(int fd);

}  // namespace discnice::guest
