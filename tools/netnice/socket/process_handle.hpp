// SPDX-License-Identifier: MIT
// process_handle: another process, and duplicates of its descriptors.
//
// Knowledge assumed: pidfd_open(2) of Linux 5.3 and pidfd_getfd(2) of 5.6. A process that may trace another process may duplicate any of its descriptors.
#pragma once

#include <sys/types.h>

#include "toolbox/base/fd.hpp"

namespace netnice {

class ProcessHandle {
 public:
  explicit ProcessHandle(pid_t pid);
  [[nodiscard]] int error() const { return handle_.error(); }
  [[nodiscard]] bool has_ended() const;
  /// A duplicate of the process's descriptor. It keeps the connection open when the process closes its own. So close the duplicate at once after use.
  [[nodiscard]] gray::base::ScopedFd duplicate(int fd) const;

 private:
  gray::base::ScopedFd handle_;
};

/// Whether /proc shows this process. /proc may belong to another PID namespace, or may be missing.
bool is_own_proc();

/// 0, or a negative errno if this kernel cannot duplicate another process's descriptor.
int try_duplicates();

}  // namespace netnice
