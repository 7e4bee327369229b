// SPDX-License-Identifier: MIT
// guard: a process that lets all calls go when who looks at them is no more. Without it a large call of a program would fail with ENOSYS then.
//
// It is there before the program is. The program gives it the listener before it begins, so there is no moment in which nobody would have it.
// What breaks it: it is killed as well, within a tenth of a second of the launcher.
#pragma once

#include <sys/types.h>

#include "tools/discnice/notify/listener.hpp"

namespace discnice::notify {

class Guard {
 public:
  /// Starts it. It lets go what is noted in `taken`. A fork.
  explicit Guard(TakenCalls& taken);
  /// We have ended as we should: whoever goes on all the same it lets go, without a word.
  ~Guard();
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

  /// False: no process was to be had.
  [[nodiscard]] bool is_there() const { return pid_ > 0; }
  /// By which give_listener() reaches it.
  [[nodiscard]] int socket() const { return socket_; }
  /// Somebody has killed it. Asked once.
  [[nodiscard]] bool has_ended() const;
  /// Somebody else looks at the calls: it ends.
  void dismiss();

 private:
  void say(char word) const;

  pid_t pid_ = -1;
  int socket_ = -1;
};

/// Gives a guard the listener. Returns 0 or an errno. Allocates nothing.
int give_listener(int socket, int listener_fd);

}  // namespace discnice::notify
