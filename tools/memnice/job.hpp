// SPDX-License-Identifier: MIT
// job: the processes of the program that is run, and a guard that sets them free when we are killed.
#pragma once

#include <sys/types.h>

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

}  // namespace memnice
