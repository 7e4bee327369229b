// SPDX-License-Identifier: MIT
// levels: finds from access times how many levels a store has (memory, flash, a disk, a server).
//
// Knowledge assumed: each level has its own typical access time. Levels differ by factors, so times are compared by their logarithms. On that scale the times of a level lie around
//   one value, some narrowly (memory, flash), some widely (a disk that seeks).
// Output observed: one time for each unit. Neither the number of levels nor their times are known before.
// Inference drawn: in one dimension the groups of a best division are contiguous in sorted order (W. D. Fisher, "On Grouping for Maximum Homogeneity", 1958), so dynamic
//   programming over the sorted times finds the best division exactly. The best division has the least description length: each group is a normal distribution with a mean, a
//   spread and a weight of its own, and costs three halves of log n (Schwarz's criterion, BIC). For two groups of equal spread this is the paper's rule: the
//   least variance within the groups. A shorter description alone is not enough: one normal distribution fits a skewed group badly, and two distributions fit
//   it better. So neighbours are joined again unless the gap between them is wide against their spreads. The fewer the times, the wider the gap has to be
//   (constants in levels.cpp).
// What breaks it: levels that overlap, or that differ by less than a factor of two, are reported as one level. A single slow access is no level of its own: a level needs three.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace gray::base {

inline constexpr std::size_t kLevelsMax = 8;

/// A group of times.
struct Level {
  /// low_ns and high_ns are bounds: a time belongs to the first level whose high_ns it does not exceed.
  std::uint64_t low_ns = 0;
  std::uint64_t high_ns = 0;    ///< UINT64_MAX for the last level
  std::uint64_t median_ns = 0;  ///< exact to 3 %
  std::size_t count = 0;        ///< how many of the times are within the bounds
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

/// Divides `count` times, in nanoseconds; times of 0 are left out. All times up to `alike_ns` become one level, for a caller who knows which times are answered from memory and
/// needs only one level for memory. Times are told apart to 3 %. O(count) plus at most a millisecond; no allocation, no lock, no errno; any thread.
Levels find_levels(const std::uint64_t* times_ns, std::size_t count, std::uint64_t alike_ns = 0);

}  // namespace gray::base
