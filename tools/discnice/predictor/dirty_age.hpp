// SPDX-License-Identifier: MIT
// dirty_age: how long written data stays in memory.
#pragma once

#include <cstdint>

namespace discnice::predictor {

/// After this time the kernel has begun to write dirty data back (its default age limit, vm.dirty_expire_centisecs).
inline constexpr std::uint64_t kDirtyAgeMaxNs = UINT64_C(30'000'000'000);

/// Whether data that became dirty at that instant is still dirty. An instant slightly ahead comes from a process that read the clock a moment later than the caller. An instant
/// far ahead is a wrong byte.
constexpr bool is_young(std::uint64_t dirty_since_ns, std::uint64_t now_ns) {
  const std::uint64_t apart_ns = now_ns > dirty_since_ns ? now_ns - dirty_since_ns : dirty_since_ns - now_ns;
  return apart_ns < kDirtyAgeMaxNs;
}

}  // namespace discnice::predictor
