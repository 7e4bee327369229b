// SPDX-License-Identifier: MIT
// throttle: makes time pass until a verdict allows an operation. The only code that sleeps.
//
// It sleeps to an absolute instant, so waits do not drift, in slices, so that a changed limit is felt while
// it waits. A signal ends the sleep at once: the operation then goes ahead and the rest of the wait stays
// owed.
#pragma once

#include <cstdint>

#include "tools/discnice/contract/verdict.hpp"

namespace discnice::throttle {

/// How often a waiting call looks whether its limit was changed. Well under the 200 ms in which `set` must be
/// felt.
inline constexpr std::uint64_t kSliceNs = 50'000'000;

/// Where time comes from; the tests put a fake here. Functions take `context` back as it was given.
struct Sleeper {
  void* context;
  std::uint64_t (*now_ns)(void* context);
  /// Sleeps until `instant_ns`; 0, or a negative errno (-EINTR: a signal handler ran).
  int (*sleep_until)(void* context, std::uint64_t instant_ns);
  /// True when the verdict no longer holds (the job's limit was changed or lifted).
  bool (*is_revoked)(void* context);
  /// True when a signal should end the wait; asked once for each -EINTR.
  bool (*may_yield_to_signal)(void* context);
};

enum class WaitEnd : std::uint8_t { due, revoked, interrupted, refused };

/// Waits until the verdict's instant. Holds nothing while asleep; async-signal-safe; errno is left alone.
/// `refused`: the kernel did not let us sleep (a sandbox), so the caller should stop trying.
WaitEnd wait(const Verdict& verdict, const Sleeper& sleeper);

/// Signals the kernel's way: bit n - 1 is signal n.
using SignalMask = std::uint64_t;
constexpr SignalMask signal_bit(int number) {
  return SignalMask{1} << (static_cast<unsigned>(number) - 1);
}

/// Keeps signals from being delivered outside the sleeps of one call. Without it a signal that arrives in the
/// moment between two sleeps would run its handler unseen, and the call would go on waiting. Signals of the
/// program's own faults are never held. Restores the mask when it goes, which delivers what came last.
class SignalHold {
 public:
  SignalHold() = default;
  ~SignalHold();
  SignalHold(const SignalHold&) = delete;
  SignalHold& operator=(const SignalHold&) = delete;

  /// Begins to hold, once; later calls do nothing.
  void begin();

  /// The mask to sleep under: the program's own.
  [[nodiscard]] const SignalMask& program_mask() const { return program_mask_; }

 private:
  SignalMask program_mask_ = 0;
  bool is_holding_ = false;
};

/// Sleeps until an instant of CLOCK_MONOTONIC under `program_mask` (ppoll without descriptors). 0, or a
/// negative errno; -EINTR also for a signal that was held back before. By raw system calls; errno is left
/// alone.
int sleep_until(std::uint64_t instant_ns, const SignalMask& program_mask);

}  // namespace discnice::throttle
