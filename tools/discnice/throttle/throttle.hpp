// SPDX-License-Identifier: MIT
// throttle: lets time pass until a verdict allows an operation. No other code sleeps.
//
// It sleeps to an absolute instant, so that waits do not drift. It sleeps in slices, so that a changed limit has an effect during the wait. A signal
// ends the sleep at once: the operation then goes ahead, and the rest of the wait stays a debt.
#pragma once

#include <cstdint>

#include "tools/discnice/contract/verdict.hpp"

namespace discnice::throttle {

/// The interval at which a waiting call checks whether its limit was changed. It is well under the 200 ms within which `set` must
/// have an effect.
inline constexpr std::uint64_t kSliceNs = 50'000'000;

/// The source of time. The tests use a fake clock. Each function gets `context` back unchanged.
struct Sleeper {
  void* context;
  std::uint64_t (*now_ns)(void* context);
  /// Sleeps until `instant_ns`. Returns 0, or a negative errno (-EINTR: a signal handler ran).
  int (*sleep_until)(void* context, std::uint64_t instant_ns);
  /// True if the verdict is no longer valid, because the job's limit was changed or removed.
  bool (*is_revoked)(void* context);
  /// True if a signal must end the wait. The function is called once for each -EINTR.
  bool (*may_yield_to_signal)(void* context);
};

enum class WaitEnd : std::uint8_t { due, revoked, interrupted, refused };

/// Waits until the verdict's instant. The function holds no lock while it sleeps, is async-signal-safe, and keeps errno. `refused` means that the
/// kernel does not allow the sleep (a sandbox), so the caller should stop trying.
WaitEnd wait(const Verdict& verdict, const Sleeper& sleeper);

/// Signals in the kernel's form: bit n - 1 is signal n.
using SignalMask = std::uint64_t;
constexpr SignalMask signal_bit(int number) {
  return SignalMask{1} << (static_cast<unsigned>(number) - 1);
}

/// Keeps signals from being delivered outside the sleeps of one call. Without it a signal that arrives between two sleeps would run its handler
/// unnoticed, and the call would go on waiting. Signals of the program's own faults are never held. The destructor restores the mask, which delivers
/// the signals that came last.
class SignalHold {
 public:
  SignalHold() = default;
  ~SignalHold();
  SignalHold(const SignalHold&) = delete;
  SignalHold& operator=(const SignalHold&) = delete;

  /// Begins to hold signals. Only the first call has an effect.
  void begin();

  /// The signal mask during a sleep: the program's own mask.
  [[nodiscard]] const SignalMask& program_mask() const { return program_mask_; }

 private:
  SignalMask program_mask_ = 0;
  bool is_holding_ = false;
};

/// Sleeps until an instant of CLOCK_MONOTONIC under `program_mask` (ppoll without descriptors). Returns 0, or a negative errno; -EINTR also for a
/// signal that was held back before. Uses raw system calls and keeps errno.
int sleep_until(std::uint64_t instant_ns, const SignalMask& program_mask);

}  // namespace discnice::throttle
