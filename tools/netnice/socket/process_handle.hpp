// SPDX-License-Identifier: MIT
// process_handle: another process, and duplicates of its descriptors.
//
// Knowledge assumed: pidfd_open(2) of Linux 5.3 and pidfd_getfd(2) of 5.6: who may trace a process may have a duplicate of any of its descriptors.
#pragma once

#include <sys/types.h>

#include "toolbox/base/fd.hpp"

namespace netnice {

class ProcessHandle {
 public:
  explicit ProcessHandle(pid_t pid);
  [[nodiscard]] int error() const { return handle_.error(); }
  [[nodiscard]] bool has_ended() const;
  /// A duplicate. It keeps a connection open that the process closes meanwhile: it must be closed again at once.
  [[nodiscard]] gray::base::ScopedFd duplicate(int fd) const;

 private:
  gray::base::ScopedFd handle_;
};

/// Whether /proc shows us: it may be that of another PID namespace, or not be there.
bool is_own_proc();

/// 0, or a negative errno: this kernel has no such duplicates.
int try_duplicates();

}  // namespace netnice
