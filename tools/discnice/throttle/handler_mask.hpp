// SPDX-License-Identifier: MIT
// handler_mask: tells whether a wait begins inside a signal handler.
//
// Knowledge assumed: while a handler runs, the kernel blocks its signal in that thread (sigaction(2), unless SA_NODEFER). The kernel gives a signal
//   for the whole process to its first thread, unless that thread blocks the signal (complete_signal() in kernel/signal.c).
// Output observed: the mask under which the first thread begins a wait, and the mask under which it last waited to the end.
// Inference drawn: when one more of the signals by which a person ends a program is blocked now, its handler is running. The signal came while the
//   program did not wait, so it could not end a sleep. A sleep in the handler would last until everything is paid, and no further signal could end
//   it.
// What breaks it: a program that itself blocks such a signal for a while. Its mask is once taken for the mask of a handler, and one wait is
//   postponed. A program whose handler runs in another thread, or unblocks its signal first, waits.
#pragma once

#include <atomic>
#include <csignal>

#include "tools/discnice/throttle/throttle.hpp"

namespace discnice::throttle {

/// The signals by which a person ends a program.
inline constexpr SignalMask kEndingSignals =
    signal_bit(SIGHUP) | signal_bit(SIGINT) | signal_bit(SIGQUIT) | signal_bit(SIGTERM);

/// One object for each process, for waits of its first thread only. Any thread may ask, also within a handler.
class HandlerMask {
 public:
  /// True if a wait that begins under this mask begins in a handler of a signal that ends programs.
  [[nodiscard]] bool is_in_handler(SignalMask mask) const {
    return (mask & kEndingSignals & ~ordinary_.load(std::memory_order_relaxed)) != 0;
  }

  /// Notes that a wait under this mask has ended by itself.
  void note_waited(SignalMask mask) { ordinary_.store(mask & kEndingSignals, std::memory_order_relaxed); }

 private:
  std::atomic<SignalMask> ordinary_{0};
};

}  // namespace discnice::throttle
