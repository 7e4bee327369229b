// SPDX-License-Identifier: MIT
// registry: the benchmarks there are. A new one is a file in benchmarks/ and a line in registry.cpp.
#pragma once

#include <span>
#include <string_view>

#include "microbench/benchmark.hpp"

namespace microbench {

/// All of them, the cheap ones first. Static; any thread.
std::span<const Benchmark* const> benchmarks();

/// The one called `name`, or null.
const Benchmark* find_benchmark(std::string_view name);

/// A key's line and its benchmark. A point of a curve has its curve's. A key that is only ever set by hand has a line and no benchmark.
struct Described {
  const Benchmark* benchmark = nullptr;  ///< Null: no benchmark fills this key.
  const Output* output = nullptr;
};
Described describe(std::string_view key);

}  // namespace microbench
