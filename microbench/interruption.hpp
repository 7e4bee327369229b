// SPDX-License-Identifier: MIT
// interruption: an interruption (Ctrl-C) during a measurement prints one line and ends the program.
//
// A run makes only files without a name, so no clean-up is needed. The handler prints the line and lets the signal take its ordinary effect. While a file has a name for a
// moment, or while the record is replaced, the signals are held.
#pragma once

#include <csignal>

namespace microbench {

/// From now on, the program prints that nothing was recorded before a signal ends it. Call it once, in the main thread.
void say_when_interrupted();

/// From now on the line says that the figures are recorded. Call it while signals are held (SignalsHeld).
void note_recorded();

/// Blocks every signal that can be blocked, in this thread, during its lifetime.
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
