// SPDX-License-Identifier: MIT
// registry_list: the header that the file of a benchmark includes. It declares all descriptors by name.
#pragma once

#include "microbench/benchmark.hpp"
#include "microbench/registry.hpp"

namespace microbench {

extern const Benchmark kTimer;
extern const Benchmark kSystemCall;
extern const Benchmark kContextSwitch;
extern const Benchmark kMemoryTouch;
extern const Benchmark kMemoryBandwidth;
extern const Benchmark kMemorySwap;
extern const Benchmark kMemoryReclaim;
extern const Benchmark kWriteback;
extern const Benchmark kCacheHit;
extern const Benchmark kCacheRoc;
extern const Benchmark kReadahead;
extern const Benchmark kLayout;
extern const Benchmark kDiskRandom;
extern const Benchmark kDiskUnit;
extern const Benchmark kDiskWrite;
extern const Benchmark kDiskQueue;
extern const Benchmark kDiskSeek;

}  // namespace microbench
