// SPDX-License-Identifier: MIT
// clock_choice: which clock to read on this host, and why.
//
// Knowledge assumed: the kernel watches the processor's counter against other clocks and stops using it once
// it finds it
//   drifting, halting or different between processors (Documentation/virt/kvm/x86/timekeeping.rst, and
//   tsc= in admin-guide/kernel-parameters.txt).
// Output observed: the current clock source, the processor's flags, whether this process may read the
// counter. Inference drawn: the counter is good if the kernel tells its own time by it, at this moment, on
// this host. What breaks it: a kernel that changes its mind later; the timer then keeps the counter until it
// is made anew.
#pragma once

#include <string>

namespace gray::timing {

enum class Clock {
  kCounter,       ///< The processor's own: rdtsc on x86-64, cntvct on arm64.
  kMonotonicRaw,  ///< clock_gettime(CLOCK_MONOTONIC_RAW) where it is no dearer, else ...
  kMonotonic,     ///< ... clock_gettime(CLOCK_MONOTONIC).
};

enum class Machine { kX86, kArm64, kOther };

/// What the choice rests on.
struct ClockFacts {
  Machine machine = Machine::kOther;
  std::string current_source;        ///< Of /sys/devices/system/clocksource/clocksource0; empty if unknown.
  std::string cpu_flags;             ///< The "flags" line of /proc/cpuinfo; empty where there is none.
  bool is_counter_readable = false;  ///< False where prctl(PR_SET_TSC) makes reading it a fault.
};

struct ClockChoice {
  Clock clock = Clock::kMonotonic;
  std::string reason;  ///< One phrase for a person.
};

/// Reads the facts of this host. `root` stands before the paths ("" for the real one). Any thread.
ClockFacts read_clock_facts(const std::string& root = "");

/// Decides kCounter or kMonotonicRaw (whose cost the timer then compares with kMonotonic). Pure.
ClockChoice choose_clock(const ClockFacts& facts);

}  // namespace gray::timing
