// SPDX-License-Identifier: MIT
// levels: finds the levels of storage from the times of accesses: memory, flash, a disk, a server.
//
// Knowledge assumed: each level has access times of its own kind. Levels differ by factors, so times are compared by their logarithms. On that scale the times of a level lie
// around
//   one value, some narrowly (memory, flash), some widely (a disk that seeks).
// Output observed: one time for each unit. Neither number nor place of the levels is known before.
// Inference drawn: in one dimension the groups of a best division are contiguous in sorted order (W. D. Fisher, "On Grouping for Maximum Homogeneity", 1958), so dynamic programming
//   over the sorted times finds the best division of all, exactly. The best division has the least description length: each group is a normal distribution with a mean, a
//   spread and a weight of its own, and costs three halves of log n (Schwarz's criterion, BIC). For two groups of the same spread this is the paper's rule: the least variance
//   within the groups. A division with a smaller description length is not yet believed, because a normal distribution fits a skewed group badly, and two of them fit it better.
//   So neighbours are joined again unless the gap between them is wide compared with their spreads. The fewer times there are, the wider the gap must be (constants in
//   levels.cpp).
// What breaks it: levels that overlap, or that differ by less than a factor of two, are called one. A single slow access is not a level of its own: a level needs three accesses.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace gray::base {

inline constexpr std::size_t kLevelsMax = 8;

/// A group of times.
struct Level {
  std::uint64_t low_ns = 0;   ///< bounds: a time belongs to the first level whose high_ns it does not exceed
  std::uint64_t high_ns = 0;  ///< of the last one UINT64_MAX
  std::uint64_t median_ns = 0;  ///< to three hundredths
  std::size_t count = 0;        ///< how many of the times are within
};

struct Levels {
  std::array<Level, kLevelsMax> level{};  ///< ascending
  std::size_t count = 0;                  ///< 0: there was no time

  /// The level of a time. `count` must not be 0.
  [[nodiscard]] std::size_t of(std::uint64_t time_ns) const {
    std::size_t i = 0;
    while (i + 1 < count && time_ns > level[i].high_ns) ++i;
    return i;
  }
};

/// Divides `count` times, in nanoseconds. Times that are 0 are left out. All times up to `alike_ns` belong to one level: a caller who knows which times are answers from memory
/// needs only one level of memory. Times that differ by less than three hundredths are not distinguished. The cost is O(count) plus at most a millisecond. No allocation, no
/// lock, no errno; any thread.
Levels find_levels(const std::uint64_t* times_ns, std::size_t count, std::uint64_t alike_ns = 0);

}  // namespace gray::base
