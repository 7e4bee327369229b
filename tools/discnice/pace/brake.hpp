// SPDX-License-Identifier: MIT
// brake: stops processes that do not cooperate, and lets them go on. The brake traces the processes where the kernel allows tracing, and uses
// signals otherwise.
#pragma once

#include <sys/types.h>

#include "tools/discnice/pace/signal_brake.hpp"
#include "tools/discnice/pace/trace_brake.hpp"

namespace discnice::pace {

/// One thread must make all calls of one Brake.
class Brake {
 public:
  /// Asks the process to stop. Returns 0, or the kernel's errno when the process cannot be stopped.
  int stop(pid_t pid);
  /// Stops a process again that this object has stopped and that another process has continued. Other processes can continue only a process that is
  /// stopped by signals.
  void stop_again(pid_t pid) { by_signal_.stop_again(pid); }
  /// Lets the process go on.
  void release(pid_t pid);
  /// Lets all processes go on, at the end.
  void let_all_go() {
    by_trace_.let_all_go();
    by_signal_.let_all_go();
  }
  /// To be called every few milliseconds while has_work().
  void attend() { by_trace_.attend(); }
  [[nodiscard]] bool has_work() const { return by_trace_.has_work(); }

 private:
  TraceBrake by_trace_;
  SignalBrake by_signal_;
};

}  // namespace discnice::pace
