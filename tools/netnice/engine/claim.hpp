// SPDX-License-Identifier: MIT
// claim: makes sure that only one netnice holds a process. Otherwise each of two netnices would take the other's limit for the original setting, and would leave that limit behind.
//
// Knowledge assumed: files of /proc can be locked (flock(2)), and a lock ends with the process that has it. A process may open the /proc/PID/mem of another
// process only if it has the right to trace that process. So no other user can keep netnice away from a process by the lock.
#pragma once

#include <sys/types.h>

#include "toolbox/base/fd.hpp"

namespace netnice {

class Claim {
 public:
  Claim() = default;
  explicit Claim(pid_t pid);
  /// A negative errno if the process cannot be reached.
  [[nodiscard]] int error() const { return file_.error(); }
  /// Claims the process for this object's lifetime. Returns false while another netnice holds the process.
  [[nodiscard]] bool take() const;

 private:
  gray::base::ScopedFd file_;
};

}  // namespace netnice
