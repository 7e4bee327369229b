// SPDX-License-Identifier: MIT
// signal_brake: stops processes by SIGSTOP and lets them go on by SIGCONT. It is for processes that may not be traced.
//
// Knowledge assumed: signal(7). When discnice ends, processes that SIGSTOP has stopped stay stopped. So another process, the guard, waits for discnice to end and then
//   sends SIGCONT.
// What breaks it: the guard is killed as well, at once. A shell with job control inside the job sees its child stopped. A process that another program stops while it is stopped
// here goes on too early.
#pragma once

#include <atomic>
#include <cstddef>

#include <sys/types.h>

namespace discnice::pace {

class SignalBrake {
 public:
  SignalBrake() = default;
  /// Lets all processes go on, and ends the guard.
  ~SignalBrake();
  SignalBrake(const SignalBrake&) = delete;
  SignalBrake& operator=(const SignalBrake&) = delete;

  /// Returns 0 or an errno.
  int stop(pid_t pid);
  /// Does nothing for a process that it has not stopped.
  void stop_again(pid_t pid);
  void let_all_go();
  /// Does nothing for a process that it has not stopped.
  void release(pid_t pid);

 private:
  static constexpr std::size_t kStoppedMax = 1024;
  // The stopped processes. This memory is shared with the guard.
  struct Stopped {
    std::atomic<pid_t> pids[kStoppedMax];
  };

  int start_guard();
  [[noreturn]] static void guard(int our_end, Stopped& stopped);

  Stopped* stopped_ = nullptr;
  int guard_pipe_ = -1;  // the guard reads its end when we are gone
};

}  // namespace discnice::pace
