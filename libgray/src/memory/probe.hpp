// SPDX-License-Identifier: MIT
// probe: takes memory page by page, and learns from the time of each write whether memory is still free.
//
// Knowledge assumed: writing to a page in memory takes nanoseconds; a page that was paged out must be read from a device. The kernel pages out in order to give a new page. So a
// process that grows too large either finds its earlier pages gone or waits for each new page.
// Output observed: the time of each write, in two passes over each step and over a sample of the pages taken before. Unless switched off, also major faults, the group's swapped
// bytes and refaults, and the time that tasks stalled for memory. Where faults are counted, the second pass writes to one page of each group of pages that a swap-in reads
// together.
// Inference drawn: the bounds for "slow" follow from measured times (touch_times). Several slow pages in near succession in the second pass
// mean that the step does not fit. Several slow pages in the first pass are a suspicion, which ends that pass at once. If other signals are on, one of them has to agree, since a
// hypervisor that backs memory late, a preemption or the clearing of a huge page is slow as well. With time alone, slow pages in either pass count as paging if
// they come again and again at the same bound, after a pause each time and in ever shorter steps. The reason is that with each page beyond the limit the
// kernel may find no page to page out, and may kill a process. After paging all held pages are touched, and one page is given up for each page that had to be
// fetched. So at least the excess over the real memory is given up. Then memory that can be taken without trouble is taken back.
// What breaks it: a host without swap, because no page gets slow there before the kernel kills a process (time_paging() must check this first); swap as
// fast as memory (zram), which time alone hardly shows; clean page cache, which the kernel gives up without delay. Because of these three cases there is a
// ceiling.
// Source: "Information and Control in Gray-Box Systems" (SOSP 2001), section 4.3. Unlike there, only a sample of the earlier pages is checked, so that the work is linear in the
// memory taken.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "libgray/src/memory/pools.hpp"
#include "libgray/src/memory/touch_times.hpp"
#include "toolbox/base/units.hpp"

namespace gray::memory {

/// The signals that may be used in addition to time, which is always used. Bits; numbered as in gray/alloc.h.
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
  // The caller works on files, so cached pages that are read again are no sign of paging.
  bool has_files = false;
  TouchTimes times;  // measured by the probe where nothing is known
  std::uint64_t step_first_bytes = base::kMiB;
  std::uint64_t step_max_bytes = 32 * base::kMiB;
};

/// The functions that the probe calls while it grows.
struct ProbeWatch {
  std::function<std::uint64_t(std::uint64_t held_bytes)> allowance;  // the total that may be held
  std::function<PagingCounters()> counters;
};

enum class ProbeEnd { reached, forbidden, paging };

/// Takes memory at the start of a reserved range. One thread at a time.
class Probe {
 public:
  /// `base` and `reserved_bytes` come from reserve_memory(). The caller keeps owning them.
  Probe(unsigned char* base, std::uint64_t reserved_bytes, const ProbeOptions& options, ProbeWatch watch);

  /// Grows to `want_bytes`, or as far as the allowance and the free memory permit. May be called again.
  ProbeEnd grow(std::uint64_t want_bytes);

  /// Gives back the memory above `bytes`, rounded up to pages; the addresses stay reserved.
  void shrink(std::uint64_t bytes);

  [[nodiscard]] std::uint64_t held_bytes() const { return held_pages_ * page_bytes_; }
  [[nodiscard]] std::uint64_t touches() const { return touches_; }
  [[nodiscard]] std::uint32_t troubles() const { return troubles_; }

 private:
  struct Look {
    bool is_suspicious = false;  // the first pass was slow
    bool is_slow = false;        // pages that should be in memory were slow
  };

  struct SlowBound {
    std::uint64_t slow_ns;
    std::uint64_t window_pages;  // the window in which several pages have to be that slow
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
  std::uint64_t dirty_pages_ = 0;  // pages from this one on were never touched
  std::uint64_t step_pages_ = 0;
  TouchBounds bounds_;  // all 0 until the first step
  std::uint64_t touches_ = 0;
  std::uint64_t sample_turn_ = 0;
  std::uint32_t troubles_ = 0;
  std::uint32_t bound_troubles_ = 0;  // troubles since a step went beyond the last bound
  std::uint64_t bound_pages_ = 0;     // the end of the step with the last trouble
  PagingCounters counters_before_;
  PagingCounters counters_after_;  // the counters after the last step, unless the step was given back
  bool has_counters_after_ = false;
  std::uint64_t faults_before_ = 0;
  std::uint64_t time_before_ns_ = 0;
  std::vector<std::uint32_t> times_ns_;
};

}  // namespace gray::memory
