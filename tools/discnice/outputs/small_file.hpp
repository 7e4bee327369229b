// SPDX-License-Identifier: MIT
// small_file: reads the beginning of one of the kernel's small files.
//
// Safe inside the program that loads the library: the code makes raw system calls, uses no heap, and leaves no descriptor open.
#pragma once

#include <cstddef>

#include <fcntl.h>
#include <sys/syscall.h>

#include "toolbox/base/raw_sys.hpp"

namespace discnice::outputs {

/// Returns the number of bytes read, or a negative errno.
inline long read_small_file(const char* path, char* text, std::size_t room) {
  using gray::base::raw_syscall;
  using gray::base::word;
  const long descriptor = raw_syscall(SYS_openat, AT_FDCWD, word(path), O_RDONLY | O_CLOEXEC, 0);
  if (gray::base::is_raw_error(descriptor)) return descriptor;
  const long length = raw_syscall(SYS_read, descriptor, word(text), static_cast<long>(room));
  raw_syscall(SYS_close, descriptor);
  return length;
}

}  // namespace discnice::outputs
