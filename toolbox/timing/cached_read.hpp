// SPDX-License-Identifier: MIT
// cached_read: what reading one cached byte costs here, in less than a millisecond, for who has no measured value.
//
// Knowledge assumed: a program that runs has its own first page in the page cache. Observed: the time of reading one
// byte of it, again and again. Inferred: a low quantile, for whatever disturbs only adds. What breaks it: a file
// system without a page cache below the program (the time says so); it is the time of a processor that does nothing
// else, so a threshold has to lie well above it. `microbench run cache_roc` finds that by both sides.
#pragma once

#include <cstdint>

#include "toolbox/base/result.hpp"

namespace gray::timing {

struct CachedRead {
  double hit_ns = 0;
  std::uint64_t took_ns = 0;  ///< For all of it.
};

/// Reads the program's own file. Errors: as open(2) and pread(2). Any thread.
base::Result<CachedRead> time_cached_read();

}  // namespace gray::timing
