// SPDX-License-Identifier: MIT
// clock: the present time in nanoseconds of CLOCK_MONOTONIC, read through the vDSO. It is for code inside the program that loads the
// library.
//
// CLOCK_MONOTONIC is one clock for all processes of a machine, so instants may be shared through memory, and
// it does not jump when the date is set. For measurements with a known cost and resolution see
// toolbox/timing.
#pragma once

#include <cstdint>
#include <ctime>

namespace gray::base {

/// Nanoseconds since an unspecified start. The value never goes back. A call takes about 25 ns and does not change errno.
inline std::uint64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

/// The time of the same clock at the last timer tick, 1 to 10 ms ago. About 5 ns.
inline std::uint64_t monotonic_coarse_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace gray::base
