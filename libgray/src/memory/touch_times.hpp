// SPDX-License-Identifier: MIT
// touch_times: how long a touch of memory takes on this host, for each possible reason, and from which time on a touch is slow.
//
// Knowledge assumed: a write to a page in memory takes nanoseconds. A write to a page that does not exist yet costs a fault, in which the kernel allocates and clears a page. A
// write to a page in swap also waits for a device. A kernel that lacks free pages gives up a batch of them at the next first
// touch: clean ones of the page cache quickly, those of a process by writing them to swap.
// Output observed: each of these times. The record of the host has them where microbench measured it; else some pages of our own are
// touched, and, where time is all there is, put out (MADV_PAGEOUT) and touched again.
// Inference drawn: a bound lies in the middle, on the scale of ratios, between the slowest touch for which nobody was paged
// and the quickest for which somebody was.
// What breaks it: swap that answers from memory (zram) leaves little between the two, but what little there is is measured. A limit on
// memory and swap together (control groups of version 1) lets pages leave and gains nothing by it: time does not show that.
// Source: "Information and Control in Gray-Box Systems" (SOSP 2001), section 4.3: the figures of a file, else those of a few pages.
#pragma once

#include <cstdint>

#include "toolbox/repo/repository.hpp"

namespace gray::memory {

/// Each is the time of one page, in nanoseconds; 0: unknown.
struct TouchTimes {
  double again_ns = 0;  // a write to a page that is there, with one reading of the clock
  double fault_ns = 0;  // the first write to a page, for which the kernel has memory at hand
  double fresh_ns =
      0;  // the same just now, where a hypervisor may have to find that memory first; never recorded
  double reclaim_ns = 0;  // the kernel gives up a clean page of the page cache, one of many
  double out_ns = 0;      // the kernel writes a page to swap, one of many
  double in_ns = 0;       // a touch of a page that is in swap
};

/// From this time on, in nanoseconds, a touch is of the kind that the name says.
struct TouchBounds {
  std::uint64_t fault_ns = 0;  // of a page that should be there: it was not, wherever it was
  std::uint64_t in_ns = 0;     // of a page that should be there: a device had to be waited for
  std::uint64_t out_ns = 0;    // of a fresh page: pages of somebody had to be written out for it
};

/// The measured or set values. Shipped defaults are a guess about another machine and are left out.
TouchTimes recorded_times(const repo::Repository& repository);

/// Measures fresh_ns, and also again_ns and fault_ns if they are unknown, by touching some pages of its own. Takes less than a millisecond. Does nothing if no memory can be
/// reserved.
void time_touches(TouchTimes& times);

/// Pages some pages of its own out and touches them. False if they stay in memory, so that no touch becomes slow before a process is killed; or if the host does not tell
/// (-EINVAL: a kernel before 5.4). Fills in out_ns and in_ns if they are unknown, which takes some milliseconds. To be called after time_touches().
bool time_paging(TouchTimes& times);

/// Pure. Unknown values are derived from fault_ns.
TouchBounds bounds_of(const TouchTimes& times);

}  // namespace gray::memory
