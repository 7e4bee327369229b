// SPDX-License-Identifier: MIT
// watcher: a process that removes the limits of a group when the process that changes the limits is killed. It removes the group when the group is empty. The
// watcher starts before the program.
//
// When only the watcher is killed, the limiter starts a new one (limiter.hpp).
// What breaks it: both are killed within a tenth of a second. Then the limits stay as they are, and the next start of a job with a group removes the group when it is empty.
#pragma once

#include <sys/types.h>

#include "tools/discnice/cgroup/group.hpp"

namespace discnice::cgroup {

class Watcher {
 public:
  /// Starts the watcher by a fork.
  explicit Watcher(const Group& group);
  /// Has the same effect as the death of this process, unless the watcher was dismissed.
  ~Watcher();
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  /// False when no process could be started.
  [[nodiscard]] bool is_there() const { return pid_ > 0; }
  /// Whether the watcher was killed. The answer is true only once.
  [[nodiscard]] bool has_ended() const;
  /// The group is gone, or another watcher watches it: the watcher ends.
  void dismiss();
  /// No process is in the group, and data is on its way to the disk. The watcher waits for that data and removes the group.
  void leave_to_it();

 private:
  void say(char word);

  pid_t pid_ = -1;
  int socket_ = -1;
};

}  // namespace discnice::cgroup
