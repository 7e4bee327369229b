// SPDX-License-Identifier: MIT
// cached_read: measures in less than a millisecond what a read of one cached byte costs on this host, for callers that have no recorded value.
//
// Knowledge assumed: a program that runs has its own first page in the page cache. Observed: the times of repeated reads of one byte of that page. Inferred: the cost is a low
// quantile of these times, because a disturbance can only make a read slower. What breaks it: a file system without a page cache below the program. The long
// time itself shows this case. The measured time is the time on a processor that does nothing else, so a threshold has to be well above it. `microbench run
// cache_roc` finds the threshold from hits and misses.
#pragma once

#include <cstdint>

#include "toolbox/base/result.hpp"

namespace gray::timing {

struct CachedRead {
  double hit_ns = 0;
  std::uint64_t took_ns = 0;  ///< Duration of the whole measurement.
};

/// Reads the program's own file. Errors: as open(2) and pread(2). Any thread.
base::Result<CachedRead> time_cached_read();

}  // namespace gray::timing
