// SPDX-License-Identifier: MIT
// runner: sets benchmarks up, interleaves their rounds, and ends each benchmark when its interval is narrow enough or the time is over.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "microbench/benchmark.hpp"

namespace microbench {

/// The result of one benchmark.
struct Measured {
  const Benchmark* benchmark = nullptr;
  std::vector<Finding> findings;
  std::string reason;  ///< Why there are no findings; else empty.
  std::size_t rounds = 0;
  bool is_narrow = false;
};

/// Called before each round with the next benchmark and the used share of the budget, 0 to 1.
using OnRound = std::function<void(const Benchmark&, double)>;

/// Runs the rounds of all benchmarks. The next round always belongs to the benchmark that has used the least time so far. The time of a benchmark with narrow
/// intervals counts more. A benchmark ends when its intervals are narrow and most of the time for its share of all benchmarks has passed, or when `budget_ns`
/// is used. Each benchmark gets a few rounds in any case, unless its rounds are far too slow.
std::vector<Measured> run_benchmarks(const std::vector<const Benchmark*>& wanted, const Context& context,
                                     std::uint64_t budget_ns, const OnRound& on_round);

}  // namespace microbench
