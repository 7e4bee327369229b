// SPDX-License-Identifier: MIT
// touch_times: how long a touch of memory takes on this host, for each possible cause, and the bounds above which a touch is slow.
//
// Knowledge assumed: writing to a page in memory takes nanoseconds. A new page costs a fault, in which the kernel provides a page and clears it. A page in swap also waits for a
// device. A kernel that lacks free pages frees a batch of pages at the next first touch: clean pages of the page cache quickly, pages of processes by writing them to swap.
// Output observed: each of these times. The host's record has them if microbench measured them. Otherwise this process touches some pages of its own. When time
// is the only signal, the process also pages them out (MADV_PAGEOUT) and touches them again.
// Inference drawn: a bound is the geometric middle between the slowest touch without paging and the quickest touch with paging.
// What breaks it: with swap in memory (zram) the two times are close together, but the difference is measured. Under a limit on memory and swap together
// (control groups of version 1) pages are written to swap without freeing memory. The times do not show that.
// Source: "Information and Control in Gray-Box Systems" (SOSP 2001), section 4.3: figures from a file, else from a few pages.
#pragma once

#include <cstdint>

#include "toolbox/repo/repository.hpp"

namespace gray::memory {

/// Times for one page, in nanoseconds; 0: not known.
struct TouchTimes {
  double again_ns = 0;  // a write to a page in memory, including one reading of the clock
  double fault_ns = 0;  // the first write to a page, for which the kernel has memory at hand
  double fresh_ns =
      0;  // the same, measured just now, when a hypervisor may have to find the memory first; never recorded
  double reclaim_ns = 0;  // the kernel gives up a clean page of the page cache, in a batch
  double out_ns = 0;      // the kernel writes a page to swap, in a batch
  double in_ns = 0;       // a touch of a page that is in swap
};

/// The least times, in nanoseconds, from which a touch counts as the named kind.
struct TouchBounds {
  std::uint64_t fault_ns = 0;  // for a page that should be in memory: it was not there
  std::uint64_t in_ns = 0;     // for a page that should be in memory: the touch waited for a device
  std::uint64_t out_ns = 0;    // for a fresh page: other pages had to be written out for it
};

/// The times that were measured or set. Shipped defaults are left out, because they are guesses about another machine.
TouchTimes recorded_times(const repo::Repository& repository);

/// Measures fresh_ns, and also again_ns and fault_ns if they are not known, by touching some pages of its own. Takes less than a millisecond. Does nothing if no memory can be
/// reserved.
void time_touches(TouchTimes& times);

/// Pages out some pages of its own and touches them. False if the pages stay in memory, so that no touch gets slow before the kernel kills a process. Also
/// false if the kernel (before 5.4) cannot page them out on request. Fills in out_ns and in_ns if they are not known, which takes some milliseconds. Call
/// it after time_touches().
bool time_paging(TouchTimes& times);

/// Pure. Unknown times are derived from fault_ns.
TouchBounds bounds_of(const TouchTimes& times);

}  // namespace gray::memory
