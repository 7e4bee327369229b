// SPDX-License-Identifier: MIT
// interruption: what Ctrl-C does while something is measured: one line, and the end.
//
// Everything a run makes is without a name, so that nothing has to be undone: the handler says so and lets
// the signal take its ordinary course. Where for a moment there is a name, or the record is being replaced,
// the signals are held.
#pragma once

#include <csignal>

namespace microbench {

/// From now on a signal that ends the program says first that nothing was recorded. Main thread, once.
void say_when_interrupted();

/// From now on an interruption says that the figures are recorded. Call it while they are held (SignalsHeld).
void note_recorded();

/// Holds every signal that can be held, in this thread, for as long as it lives.
class SignalsHeld {
 public:
  SignalsHeld();
  ~SignalsHeld();
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  sigset_t before_;
};

}  // namespace microbench
