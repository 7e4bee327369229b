// SPDX-License-Identifier: MIT
// watcher: a process that takes the limits from a group when who moves them was killed, and removes the group when it is empty. It is there before the program is.
//
// Killed alone it is replaced (limiter.hpp). What breaks it: both are killed within a tenth of a second. Then the limits stay as they are, and the next start of a job with a group removes the group when it is empty.
#pragma once

#include <sys/types.h>

#include "tools/discnice/cgroup/group.hpp"

namespace discnice::cgroup {

class Watcher {
 public:
  /// Starts it. A fork.
  explicit Watcher(const Group& group);
  /// As if we had been killed, unless it was dismissed.
  ~Watcher();
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  /// False: no process was to be had.
  [[nodiscard]] bool is_there() const { return pid_ > 0; }
  /// Somebody has killed it. Asked once.
  [[nodiscard]] bool has_ended() const;
  /// The group is gone, or somebody else watches: it ends.
  void dismiss();
  /// Nobody is in the group, and something is on its way to the disk: it waits for that, and removes the group.
  void leave_to_it();

 private:
  void say(char word);

  pid_t pid_ = -1;
  int socket_ = -1;
};

}  // namespace discnice::cgroup
