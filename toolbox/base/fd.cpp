// SPDX-License-Identifier: MIT
#include "toolbox/base/fd.hpp"

#include <sys/syscall.h>

#include "toolbox/base/raw_sys.hpp"

namespace gray::base {

ScopedFd ScopedFd::open(const char* path, int flags, mode_t mode, int directory_fd) {
  const long fd =
      raw_syscall(SYS_openat, directory_fd, word(path), flags | O_CLOEXEC, static_cast<long>(mode));
  return ScopedFd(static_cast<int>(fd));
}

int ScopedFd::release() {
  const int fd = fd_;
  fd_ = -EBADF;
  return fd;
}

void ScopedFd::reset(int fd) {
  // Linux has released the descriptor even when close reports EINTR, so it is never called twice.
  if (fd_ >= 0) raw_syscall(SYS_close, fd_);
  fd_ = fd;
}

}  // namespace gray::base
