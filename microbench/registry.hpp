// SPDX-License-Identifier: MIT
// registry: the list of all benchmarks. A new benchmark is a file in benchmarks/ and a line in registry.cpp.
#pragma once

#include <span>
#include <string_view>

#include "microbench/benchmark.hpp"

namespace microbench {

/// All benchmarks, the cheap ones first. Static; any thread.
std::span<const Benchmark* const> benchmarks();

/// The benchmark called `name`, or null.
const Benchmark* find_benchmark(std::string_view name);

/// The description of a key, and the benchmark that fills it. For a point of a curve these are the description and the benchmark of the curve. A key that is
/// only set by hand has a description but no benchmark.
struct Described {
  const Benchmark* benchmark = nullptr;  ///< Null: no benchmark fills this key.
  const Output* output = nullptr;
};
Described describe(std::string_view key);

}  // namespace microbench
