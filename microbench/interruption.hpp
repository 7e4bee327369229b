// SPDX-License-Identifier: MIT
// interruption: what Ctrl-C does during a measurement: it prints one line and ends the program.
//
// Everything a run makes is without a name, so that nothing has to be undone: the handler says so and lets
// the signal take its ordinary course. Where for a moment there is a name, or the record is being replaced,
// the signals are held.
#pragma once

#include <csignal>

namespace microbench {

/// From now on, a signal that ends the program first prints that nothing was recorded. Main thread, once.
void say_when_interrupted();

/// From now on, an interruption prints that the figures are recorded. To be called while signals are held (SignalsHeld).
void note_recorded();

/// Holds back every signal that can be held, in this thread, for as long as the object lives.
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
