// SPDX-License-Identifier: MIT
// registry_list: what a benchmark's file includes: the kinds of things, and the descriptors by name.
#pragma once

#include "microbench/benchmark.hpp"
#include "microbench/registry.hpp"

namespace microbench {

extern const Benchmark kTimer;
extern const Benchmark kSystemCall;
extern const Benchmark kContextSwitch;
extern const Benchmark kMemoryTouch;
extern const Benchmark kMemoryBandwidth;

}  // namespace microbench
