// SPDX-License-Identifier: MIT
// probe: takes memory page by page, and learns from the times of the writes whether the memory is really there.
//
// Knowledge assumed: a write to a page in memory takes nanoseconds, and a write to a page in swap waits for a device. The kernel pages out in order to give a new page. So a
// process that grows too large either finds that its own earlier pages were paged out, or waits for each new page.
// Output observed: the time of each write, in two passes over each step and over a sample of the pages that were taken before. Unless they are switched off: major faults, the
// group's swapped bytes and refaults, and the time for which tasks stalled for memory. If faults are counted, the second pass writes only
// to one page of each group that a swap-in brings along.
// Inference drawn: what is slow follows from what was measured (touch_times). Several slow pages in near succession in the second pass
// mean that the step does not fit. Several
// in the first pass are a suspicion, which ends it at once. If other signals are switched on, one of them must agree, because a hypervisor that backs memory late, a preemption,
// or the clearing of a huge page is slow as well. With time alone, either is believed when it comes again and again at the same bound, each time after a pause and in shorter
// steps. Steps are short because each page beyond the limit is a chance that the kernel finds no page to push out, and kills a process instead. After paging all is walked, and a
// page given up for each that had to be fetched: that is what is held beyond the memory there is, here and elsewhere, or more. Then what is easy is taken back.
// What breaks it: no swap, because then no write gets slow before a process is killed; time_paging() must find this out first. Swap as fast as memory (zram), which time alone
// hardly shows. Clean page cache, which the kernel drops without any delay. Hence the ceiling.
// Source: "Information and Control in Gray-Box Systems" (SOSP 2001), section 4.3. Other than there, what was taken
// before is sampled, so that the work is linear in the memory taken.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "libgray/src/memory/pools.hpp"
#include "libgray/src/memory/touch_times.hpp"
#include "toolbox/base/units.hpp"

namespace gray::memory {

/// The signals that may be used beside the time, which is always used. Bits; the numbers are those of gray/alloc.h.
enum Signal : std::uint32_t {
  kSignalAccounts = 1,  // the ceiling of pools.hpp
  kSignalFaults = 2,    // major faults of this thread, swapped pages of its own
  kSignalRefaults = 4,  // the group's swap and refaults
  kSignalStall = 8,     // PSI
  kSignalClaims = 16,   // claims.hpp
};
inline constexpr std::uint32_t kSignalsAll = 31;
inline constexpr std::uint32_t kSignalsTimeOnly = 0;

struct ProbeOptions {
  std::uint32_t signals = kSignalsAll;
  CachePolicy cache = CachePolicy::share;
  bool has_files = false;  // the caller works on files: that cached pages are read again is no sign
  TouchTimes times;        // timed here where nothing is known
  std::uint64_t step_first_bytes = base::kMiB;
  std::uint64_t step_max_bytes = 32 * base::kMiB;
};

/// The questions that the probe asks while it grows.
struct ProbeWatch {
  std::function<std::uint64_t(std::uint64_t held_bytes)> allowance;  // how much may be held in all
  std::function<PagingCounters()> counters;
};

enum class ProbeEnd { reached, forbidden, paging };

/// Takes memory at the start of a reserved range. One thread at a time.
class Probe {
 public:
  /// `base` and `reserved_bytes` come from reserve_memory() and still belong to the caller.
  Probe(unsigned char* base, std::uint64_t reserved_bytes, const ProbeOptions& options, ProbeWatch watch);

  /// Grows to `want_bytes`, or as far as is allowed and free. May be called again.
  ProbeEnd grow(std::uint64_t want_bytes);

  /// Gives back the memory above `bytes`, rounded up to pages. The addresses stay reserved.
  void shrink(std::uint64_t bytes);

  [[nodiscard]] std::uint64_t held_bytes() const { return held_pages_ * page_bytes_; }
  [[nodiscard]] std::uint64_t touches() const { return touches_; }
  [[nodiscard]] std::uint32_t troubles() const { return troubles_; }

 private:
  struct Look {
    bool is_suspicious = false;  // the first pass was slow
    bool is_slow = false;        // what should be there was slow
  };

  struct SlowBound {
    std::uint64_t slow_ns;
    std::uint64_t window_pages;  // in which several have to be that slow
  };

  static constexpr std::uint32_t kCorroborating = kSignalFaults | kSignalRefaults;

  [[nodiscard]] bool has(Signal signal) const { return (options_.signals & signal) != 0; }
  [[nodiscard]] bool is_time_alone() const { return (options_.signals & kCorroborating) == 0; }
  [[nodiscard]] std::uint64_t first_pages() const {
    return std::max<std::uint64_t>(1, options_.step_first_bytes / page_bytes_);
  }
  void touch(std::uint64_t first_page, std::uint64_t count, std::uint64_t stride);
  [[nodiscard]] std::uint64_t next_step_pages(std::uint64_t want_pages, std::uint64_t allowed_pages) const;
  bool pass(std::uint64_t first_page, std::uint64_t pages, std::uint64_t stride, const SlowBound& bound,
            std::uint64_t& done_pages);
  Look take(std::uint64_t pages, std::uint64_t& done_pages);
  bool is_sample_slow();
  bool is_trouble(const Look& look, std::uint64_t pages);
  bool is_paging_told(std::uint64_t pages, bool is_slow);
  ProbeEnd end_of_trouble(std::uint64_t pages);
  ProbeEnd climb(std::uint64_t want_pages);
  std::uint64_t bring_back(std::uint64_t first_page, std::uint64_t pages);
  std::uint64_t settle();
  void take_back(std::uint64_t goal_pages);
  void clear();
  void drop_pages(std::uint64_t pages);
  void remember();

  unsigned char* base_;
  std::uint64_t reserved_pages_;
  std::uint64_t page_bytes_;
  ProbeOptions options_;
  ProbeWatch watch_;
  std::uint64_t held_pages_ = 0;
  std::uint64_t dirty_pages_ = 0;  // from here on nothing was touched
  std::uint64_t step_pages_ = 0;
  TouchBounds bounds_;  // all 0 until the first step
  std::uint64_t touches_ = 0;
  std::uint64_t sample_turn_ = 0;
  std::uint32_t troubles_ = 0;
  std::uint32_t bound_troubles_ = 0;  // since a step went beyond the last one
  std::uint64_t bound_pages_ = 0;     // where that ended
  PagingCounters counters_before_;
  PagingCounters counters_after_;  // of the last step, unless it was given back
  bool has_counters_after_ = false;
  std::uint64_t faults_before_ = 0;
  std::uint64_t time_before_ns_ = 0;
  std::vector<std::uint32_t> times_ns_;
};

}  // namespace gray::memory
