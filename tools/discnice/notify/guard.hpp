// SPDX-License-Identifier: MIT
// guard: a process that lets all reported calls go on if the launcher that handles them has ended. Without it a large call of a program would then fail with ENOSYS.
//
// The guard starts before the program. The program gives it the listener before it begins, so at every moment some process has the listener. What breaks it: the guard is killed
// as well, within a tenth of a second of the launcher.
#pragma once

#include <sys/types.h>

#include "tools/discnice/notify/listener.hpp"

namespace discnice::notify {

class Guard {
 public:
  /// Starts the guard, by a fork. It lets the calls go on that are noted in `taken`.
  explicit Guard(TakenCalls& taken);
  /// Tells the guard that the launcher ended as planned. It lets later calls go on, without a message.
  ~Guard();
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

  /// False if no process could be started.
  [[nodiscard]] bool is_there() const { return pid_ > 0; }
  /// The descriptor by which give_listener() reaches the guard.
  [[nodiscard]] int socket() const { return socket_; }
  /// Whether another program has killed the guard. Tells this only once.
  [[nodiscard]] bool has_ended() const;
  /// Ends the guard, because another process handles the calls.
  void dismiss();

 private:
  void say(char word) const;

  pid_t pid_ = -1;
  int socket_ = -1;
};

/// Gives the listener to a guard. Returns 0 or an errno. Allocates nothing.
int give_listener(int socket, int listener_fd);

}  // namespace discnice::notify
