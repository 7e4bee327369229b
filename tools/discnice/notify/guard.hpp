// SPDX-License-Identifier: MIT
// guard: a process that lets all calls go when who looks at them is no more. Without it a large call of a program would fail with ENOSYS then.
//
// What breaks it: it is killed as well.
#pragma once

#include "tools/discnice/notify/listener.hpp"

namespace discnice::notify {

class Guard {
 public:
  /// Starts it. Before any other thread of ours holds a lock: it is a fork.
  explicit Guard(Listener& listener);
  /// Nobody looks at the calls any more but the guard, which ends when nobody is left to make any.
  ~Guard();
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

  /// Somebody else looks at the calls: it ends.
  void dismiss();

 private:
  int pipe_ = -1;  // the guard reads its end when we are gone
};

}  // namespace discnice::notify
