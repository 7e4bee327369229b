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

#include "tools/discnice/shim/open_files.hpp"
#include "tools/discnice/shim/pipeline.hpp"

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

/// A descriptor that such a call has just opened by name, or -1. Returns it.
int opened_as_it_is(int fd, int flags);

/// Looks, where the flags may change something: one system call. Else nothing is known, and nothing needs to be.
Opening before_opening(int folder, const char* path, int flags);

/// A descriptor that any call has just opened by name, or -1. Returns it.
int opened(int fd, int flags, const Opening& opening);

/// Before a descriptor is closed: its file may be sent to the disk by that.
void flush_before_close(int fd);

}  // namespace discnice::shim
