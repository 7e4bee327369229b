// SPDX-License-Identifier: MIT
// job: the program that is run, its processes, and a guard that sets them free when we are killed.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <string>
#include <vector>

#include "tools/memnice/means.hpp"

namespace memnice {

/// The processes that descend from this one, itself included, those that have ended left out.
std::vector<pid_t> tree_of(pid_t root);

/// A process of its own that waits for our end. If nobody dismisses it before, it lets the job go: no limit, nobody standing still. Forked before the program is there.
class Guard {
 public:
  explicit Guard(Means& means);
  ~Guard();
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;
  [[nodiscard]] bool is_there() const { return pid_ > 0; }

 private:
  pid_t pid_ = -1;
  int fd_ = -1;
};

/// The child that runs the program.
struct Started {
  pid_t pid = -1;
  int error = 0;        ///< errno of exec, or 0
  int means_error = 0;  ///< it could not be taken in; the program was not run
};

/// Starts it, inside the means. The signals that `mask` blocks stay blocked here, not there.
Started start(const std::vector<std::string>& command, Means& means, const sigset_t& mask_for_child);

}  // namespace memnice
