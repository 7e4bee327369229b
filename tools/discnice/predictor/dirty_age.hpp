// SPDX-License-Identifier: MIT
// dirty_age: how long written data stays in memory.
#pragma once

#include <cstdint>

namespace discnice::predictor {

/// After this time the kernel has begun to write dirty data back (its default age limit, vm.dirty_expire_centisecs).
inline constexpr std::uint64_t kDirtyAgeMaxNs = UINT64_C(30'000'000'000);

/// Whether data that became dirty at `dirty_since_ns` still is dirty. An instant just ahead of `now_ns` comes from a thread that read the clock a
/// moment later than the caller. An instant far ahead means damaged shared memory.
constexpr bool is_young(std::uint64_t dirty_since_ns, std::uint64_t now_ns) {
  const std::uint64_t apart_ns = now_ns > dirty_since_ns ? now_ns - dirty_since_ns : dirty_since_ns - now_ns;
  return apart_ns < kDirtyAgeMaxNs;
}

}  // namespace discnice::predictor
