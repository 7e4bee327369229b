// SPDX-License-Identifier: MIT
#include "tools/netnice/socket/process_handle.hpp"

#include <cstdlib>

#include <poll.h>
#include <unistd.h>

#include "toolbox/base/call_numbers.hpp"
#include "toolbox/base/raw_sys.hpp"

namespace netnice {

using gray::base::raw_syscall;
using gray::base::ScopedFd;

ProcessHandle::ProcessHandle(pid_t pid) : handle_(static_cast<int>(raw_syscall(SYS_pidfd_open, pid, 0))) {}

bool ProcessHandle::has_ended() const {
  pollfd polled{handle_.get(), POLLIN, 0};
  return poll(&polled, 1, 0) > 0;
}

ScopedFd ProcessHandle::duplicate(int fd) const {
  return ScopedFd(static_cast<int>(raw_syscall(SYS_pidfd_getfd, handle_.get(), fd, 0)));
}

bool is_own_proc() {
  char link[24];
  const ssize_t length = readlink("/proc/self", link, sizeof link - 1);
  if (length <= 0) return false;
  link[length] = '\0';
  return std::atoi(link) == getpid();
}

int try_duplicates() {
  int ends[2];
  if (pipe(ends) != 0) return 0;
  const ProcessHandle self(getpid());
  const int error = self.error() != 0 ? self.error() : self.duplicate(ends[0]).error();
  close(ends[0]);
  close(ends[1]);
  return error;
}

}  // namespace netnice
