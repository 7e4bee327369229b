// SPDX-License-Identifier: MIT
// dirty_age: how long what was written stays in memory.
#pragma once

#include <cstdint>

namespace discnice::predictor {

/// After this the kernel has begun to write dirty data back (its default age limit, vm.dirty_expire_centisecs).
inline constexpr std::uint64_t kDirtyAgeMaxNs = UINT64_C(30'000'000'000);

}  // namespace discnice::predictor
