// SPDX-License-Identifier: MIT
// signal_brake: stops processes by SIGSTOP and lets them go on by SIGCONT, for processes that may not be traced.
//
// Knowledge assumed: signal(7). When discnice ends, the kernel does not continue processes that SIGSTOP has stopped. So another process, the guard,
//   waits for the end of discnice and then sends SIGCONT.
// What breaks it: the guard is killed at the same time. A shell with job control inside the job sees that its child was stopped. When another
//   program also stops a process that is stopped here, the process still goes on as soon as it is let go here.
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
  /// Does nothing for a process that was not stopped here.
  void stop_again(pid_t pid);
  void let_all_go();
  /// Does nothing for a process that was not stopped here.
  void release(pid_t pid);

 private:
  static constexpr std::size_t kStoppedMax = 1024;
  // The stopped processes. The guard shares this memory.
  struct Stopped {
    std::atomic<pid_t> pids[kStoppedMax];
  };

  int start_guard();
  [[noreturn]] static void guard(int our_end, Stopped& stopped);

  Stopped* stopped_ = nullptr;
  int guard_pipe_ = -1;  // the guard reads the end of this pipe when discnice has ended
};

}  // namespace discnice::pace
