// SPDX-License-Identifier: MIT
// claim: a process is held by one netnice. Each of two would take the other's limit for what was there before, and leave it behind.
//
// Knowledge assumed: files of /proc can be locked (flock(2)), and a lock goes with whoever has it. Who may reach into a process may open its /proc/PID/mem, and
//   nobody else: no stranger can keep us away from it.
#pragma once

#include <sys/types.h>

#include "toolbox/base/fd.hpp"

namespace netnice {

class Claim {
 public:
  Claim() = default;
  explicit Claim(pid_t pid);
  /// A negative errno: the process cannot be reached.
  [[nodiscard]] int error() const { return file_.error(); }
  /// Whether it is ours from now on, until the end of this object; false while it is another's.
  [[nodiscard]] bool take() const;

 private:
  gray::base::ScopedFd file_;
};

}  // namespace netnice
