// SPDX-License-Identifier: MIT
// guard: a process that lets all calls go when the supervisor of the calls has ended. Without the guard, each large call
// of the program would then fail with ENOSYS.
//
// The guard starts before the program. The program gives the guard the listener before the program's own code begins, so at every moment some process has the listener.
// What breaks it: the guard is killed as well, within a tenth of a second of the launcher.
#pragma once

#include <sys/types.h>

#include "tools/discnice/notify/listener.hpp"

namespace discnice::notify {

class Guard {
 public:
  /// Starts the guard by a fork. The guard lets the calls continue that are noted in `taken`.
  explicit Guard(TakenCalls& taken);
  /// Tells the guard that this process ends as intended. The guard lets all further calls go and prints nothing.
  ~Guard();
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

  /// False when no process could be started.
  [[nodiscard]] bool is_there() const { return pid_ > 0; }
  /// The socket by which give_listener() reaches the guard.
  [[nodiscard]] int socket() const { return socket_; }
  /// Whether the guard was killed. The answer is true only once.
  [[nodiscard]] bool has_ended() const;
  /// To be called when another process has taken over the program's calls. The guard then ends and does not let the calls go.
  void dismiss();

 private:
  void say(char word) const;

  pid_t pid_ = -1;
  int socket_ = -1;
};

/// Gives the listener to a guard. Returns 0 or an errno. Allocates nothing.
int give_listener(int socket, int listener_fd);

}  // namespace discnice::notify
