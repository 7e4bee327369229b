// SPDX-License-Identifier: MIT
// touch_times: how long a touch of memory takes on this host, for each thing that may lie behind it, and from where on one is slow.
//
// Knowledge assumed: a page that is there is written to in nanoseconds; a page that is not costs a fault, in which the kernel gives and
// clears one; a page that is in swap waits for a device on top. A kernel that lacks free pages gives up a batch of them at the next first
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

/// Each of one page, in nanoseconds; 0: not known.
struct TouchTimes {
  double again_ns = 0;  // a write to a page that is there, with one reading of the clock
  double fault_ns = 0;  // the first write to a page, for which the kernel has memory at hand
  double fresh_ns =
      0;  // the same just now, where a hypervisor may have to find that memory first; never recorded
  double reclaim_ns = 0;  // the kernel gives up a clean page of the page cache, one of many
  double out_ns = 0;      // the kernel writes a page to swap, one of many
  double in_ns = 0;       // a touch of a page that is in swap
};

/// From where on a touch is what the name says, in nanoseconds.
struct TouchBounds {
  std::uint64_t fault_ns = 0;  // of a page that should be there: it was not, wherever it was
  std::uint64_t in_ns = 0;     // of a page that should be there: a device had to be waited for
  std::uint64_t out_ns = 0;    // of a fresh page: pages of somebody had to be written out for it
};

/// What was measured or set; shipped defaults are a guess about another machine, and left out.
TouchTimes recorded_times(const repo::Repository& repository);

/// Times fresh_ns, and again_ns and fault_ns where they are not known, by touching some pages of its own. Below a millisecond. Does nothing
/// where no memory can be reserved.
void time_touches(TouchTimes& times);

/// Puts some pages of its own out and touches them. False: they stay where they are, so that nothing gets slow before somebody is
/// killed; or the host does not tell (-EINVAL: a kernel before 5.4). Fills in out_ns and in_ns where they are not known, which takes some
/// milliseconds. After time_touches().
bool time_paging(TouchTimes& times);

/// Pure. What is not known is derived from fault_ns.
TouchBounds bounds_of(const TouchTimes& times);

}  // namespace gray::memory
