// SPDX-License-Identifier: MIT
// job: the processes of the program that memnice runs, and a guard that releases them if memnice is killed.
#pragma once

#include <sys/types.h>

#include <vector>

#include "tools/memnice/means.hpp"

namespace memnice {

/// The process `root` and its descendants, without those that have ended.
std::vector<pid_t> tree_of(pid_t root);

/// A separate process that waits for the end of memnice. Unless the guard is dismissed before, it then releases the job: the guard removes the limit and lets
/// stopped processes continue. It is forked before the program starts.
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
