// SPDX-License-Identifier: MIT
// cached_read: measures, in less than a millisecond, how long it takes to read one cached byte on this host. It is for callers that have no measured value.
//
// Knowledge assumed: a program that runs has its own first page in the page cache. Observed: the time of reading one
// byte of it, again and again. Inferred: a low quantile, because every disturbance only adds time. What breaks it: a file system without a page cache below the program; then the
// time is long. The time is that of a processor that does nothing else, so a threshold must be well above it. `microbench run cache_roc` finds a threshold from both hits and
// misses.
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
