// SPDX-License-Identifier: MIT
// brake: stops processes that know nothing of us, and lets them go on: by tracing where the kernel allows it, else by signals.
#pragma once

#include <sys/types.h>

#include "tools/discnice/pace/signal_brake.hpp"
#include "tools/discnice/pace/trace_brake.hpp"

namespace discnice::pace {

/// One thread makes all calls of one Brake.
class Brake {
 public:
  /// Asks the process to stand. Returns 0, or the errno that the kernel gave where it can't be stopped.
  int stop(pid_t pid);
  /// It stands and was let go by somebody else, as only a process that is stopped by signals can be.
  void stop_again(pid_t pid) { by_signal_.stop_again(pid); }
  /// Lets the process go.
  void release(pid_t pid);
  /// At the end.
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
