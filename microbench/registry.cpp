// SPDX-License-Identifier: MIT
#include "microbench/registry.hpp"

#include <algorithm>

#include "microbench/curve.hpp"
#include "microbench/registry_list.hpp"

namespace microbench {
namespace {

// Cheap benchmarks come first, so that an interrupted run loses as little as possible.
constexpr const Benchmark* kBenchmarks[] = {
    &kTimer,    &kSystemCall, &kContextSwitch, &kMemoryTouch, &kMemoryBandwidth, &kMemorySwap,
    &kCacheHit, &kCacheRoc,   &kMemoryReclaim, &kReadahead,   &kLayout,          &kDiskRandom,
    &kDiskUnit, &kDiskWrite,  &kDiskQueue,     &kDiskSeek,    &kWriteback,
};

// No benchmark measures these keys. A person sets them by a flag or a variable.
constexpr Output kSetByHand[] = {
    {"filecache.access_unit_bytes", "bytes", "-", "unit in which a file is ordered and read",
     "libgray/src/filecache", "", false},
    {"filecache.prediction_unit_bytes", "bytes", "-", "unit for which one probe stands",
     "libgray/src/filecache, tools/gbp", "", false},
};

}  // namespace

std::span<const Benchmark* const> benchmarks() {
  return kBenchmarks;
}

const Benchmark* find_benchmark(std::string_view name) {
  const auto* const found = std::find_if(std::begin(kBenchmarks), std::end(kBenchmarks),
                                         [&](const Benchmark* b) { return name == b->name; });
  return found == std::end(kBenchmarks) ? nullptr : *found;
}

Described describe(std::string_view key) {
  const auto point = parse_point(key);
  for (const Benchmark* benchmark : kBenchmarks) {
    for (const Output& output : benchmark->outputs) {
      const bool is_it =
          output.kind == Kind::kCurve ? point && point->curve == output.key : key == output.key;
      if (is_it) return {benchmark, &output};
    }
  }
  for (const Output& output : kSetByHand)
    if (key == output.key) return {nullptr, &output};
  return {};
}

}  // namespace microbench
