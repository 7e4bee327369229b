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

/// Stops those of them that run, and returns these: who stands still already does so by somebody else's will.
std::vector<pid_t> stop_running(const std::vector<pid_t>& pids);
/// Lets processes go on.
void let_go_on(const std::vector<pid_t>& pids);

/// A process of its own that waits for our end. If nobody dismisses it before, it lets the job go: no limit, nobody standing still. Forked before the program is there.
class Guard {
 public:
  explicit Guard(Means& means);
  ~Guard();
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;
  [[nodiscard]] bool is_there() const { return pid_ > 0; }
  /// Tells it the root of the job's tree.
  void tell(pid_t root) const;

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
