// SPDX-License-Identifier: MIT
// watcher: a process that removes the limits of a group if the launcher that adjusts them was killed, and removes the group when it is empty. It starts before the program.
//
// If only the watcher is killed, it is replaced (limiter.hpp). What breaks it: the launcher and the watcher are both killed within a tenth of a second. Then the limits stay as
// they are, and the next start of a job with a group removes the group when it is empty.
#pragma once

#include <sys/types.h>

#include "tools/discnice/cgroup/group.hpp"

namespace discnice::cgroup {

class Watcher {
 public:
  /// Starts the watcher, by a fork.
  explicit Watcher(const Group& group);
  /// Lets the watcher act as if the launcher had been killed, unless it was dismissed.
  ~Watcher();
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  /// False if no process could be started.
  [[nodiscard]] bool is_there() const { return pid_ > 0; }
  /// Whether another program has killed the watcher. Tells this only once.
  [[nodiscard]] bool has_ended() const;
  /// Ends the watcher: the group is removed, or another process watches.
  void dismiss();
  /// To be called when the group has no process, but data that is still on its way to the disk. The watcher waits for the data and then removes the group.
  void leave_to_it();

 private:
  void say(char word);

  pid_t pid_ = -1;
  int socket_ = -1;
};

}  // namespace discnice::cgroup
