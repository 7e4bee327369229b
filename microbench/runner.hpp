// SPDX-License-Identifier: MIT
// runner: sets benchmarks up, interleaves their rounds, and ends each when it knows enough or time is up.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "microbench/benchmark.hpp"

namespace microbench {

/// What became of one benchmark.
struct Measured {
  const Benchmark* benchmark = nullptr;
  std::vector<Finding> findings;
  std::string reason;  ///< Why there are no findings; else empty.
  std::size_t rounds = 0;
  bool is_narrow = false;
};

/// Told before each round which benchmark is next, and how much of the budget is used, 0 to 1.
using OnRound = std::function<void(const Benchmark&, double)>;

/// Runs the rounds of all, always the one that has had the least time so far (what is known well counts more), until each has narrow intervals, and samples from most of
/// the time its share of the benchmarks stands for, or `budget_ns` is used; each has a few rounds in any case, but for one whose rounds
/// are slow beyond hope.
std::vector<Measured> run_benchmarks(const std::vector<const Benchmark*>& wanted, const Context& context,
                                     std::uint64_t budget_ns, const OnRound& on_round);

}  // namespace microbench
