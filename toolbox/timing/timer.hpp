// SPDX-License-Identifier: MIT
// timer: reads the chosen clock in ticks, and knows what a tick and a reading are worth.
//
// Ticks are converted by their rate against CLOCK_MONOTONIC, found when the timer is made and good to
// kRateErrorMaxPpm. Difference first, convert after: a rate error then grows with the interval, not with
// uptime.
#pragma once

#include <cstdint>
#include <ctime>
#include <string>

#include "toolbox/timing/clock_choice.hpp"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace gray::timing {

/// How exactly the calibration tries to know the rate, in parts per million.
inline constexpr double kRateErrorMaxPpm = 10;

/// Reads the processor's counter in program order: neither earlier nor later work slips past the reading.
/// Only where choose_clock() said kCounter.
inline std::uint64_t read_counter() {
#if defined(__x86_64__)
  _mm_lfence();
  const std::uint64_t ticks = __rdtsc();
  _mm_lfence();
  return ticks;
#elif defined(__aarch64__)
  std::uint64_t ticks;
  asm volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(ticks) : : "memory");
  return ticks;
#else
  return 0;
#endif
}

/// A clock of nanoseconds by the kernel's id.
inline std::uint64_t read_clock_ns(clockid_t id) {
  timespec now{};
  clock_gettime(id, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

/// One clock, calibrated. Immutable once made: any number of threads may read one timer, also after a fork.
class Timer {
 public:
  /// Chooses the clock for this host and calibrates it: takes 10 ms as a rule, a few tenths of a second at
  /// worst.
  Timer();

  /// The same with the choice made by the caller, who answers for the counter being readable.
  explicit Timer(const ClockChoice& choice);

  /// The clock now, in its own ticks.
  [[nodiscard]] std::uint64_t ticks() const {
    if (clock_ == Clock::kCounter) return read_counter();
    return read_clock_ns(clock_ == Clock::kMonotonicRaw ? CLOCK_MONOTONIC_RAW : CLOCK_MONOTONIC);
  }

  /// Nanoseconds in a difference of ticks.
  [[nodiscard]] double to_ns(std::uint64_t tick_difference) const {
    return static_cast<double>(tick_difference) * ns_per_tick_;
  }

  /// Nanoseconds since an earlier ticks(), what one reading costs included. Never negative.
  [[nodiscard]] double ns_since(std::uint64_t start_ticks) const {
    const std::uint64_t now = ticks();
    return now > start_ticks ? to_ns(now - start_ticks) : 0;
  }

  [[nodiscard]] Clock clock() const { return clock_; }
  [[nodiscard]] const std::string& reason() const { return reason_; }  ///< Why this clock.
  [[nodiscard]] double ns_per_tick() const { return ns_per_tick_; }
  [[nodiscard]] double cost_ns() const { return cost_ns_; }                ///< One ticks() call, median.
  [[nodiscard]] double resolution_ns() const { return resolution_ns_; }    ///< The step by which it advances.
  [[nodiscard]] double rate_error_ppm() const { return rate_error_ppm_; }  ///< Bound found in calibration.

 private:
  void calibrate_rate();
  void measure_reading();

  Clock clock_;
  std::string reason_;
  double ns_per_tick_ = 1;
  double cost_ns_ = 0;
  double resolution_ns_ = 0;
  double rate_error_ppm_ = 0;
};

}  // namespace gray::timing
