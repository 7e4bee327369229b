// SPDX-License-Identifier: MIT
// dirty_age: how long what was written stays in memory.
#pragma once

#include <cstdint>

namespace discnice::predictor {

/// After this the kernel has begun to write dirty data back (its default age limit, vm.dirty_expire_centisecs).
inline constexpr std::uint64_t kDirtyAgeMaxNs = UINT64_C(30'000'000'000);

/// Whether what became dirty at that instant still is. An instant ahead is of somebody who looked at the clock a moment later than the caller; one far
/// ahead is a wrong byte.
constexpr bool is_young(std::uint64_t dirty_since_ns, std::uint64_t now_ns) {
  const std::uint64_t apart_ns = now_ns > dirty_since_ns ? now_ns - dirty_since_ns : dirty_since_ns - now_ns;
  return apart_ns < kDirtyAgeMaxNs;
}

}  // namespace discnice::predictor
