// SPDX-License-Identifier: MIT
// pages_in_flight: pages that the kernel was made to fetch a moment ago by a read through one descriptor. The disk may not have delivered them yet.
//
// Knowledge assumed: a page is in the page cache as soon as read-ahead has requested it from the disk. mincore() reports only pages whose data
//   has arrived (mincore_page() of mm/mincore.c). cachestat() reports all pages in the cache. A fast reader needs pages whose data has not
//   arrived yet.
// Output observed: the pages that the read-ahead model predicted for a read, and the instant at which that read began.
// Inference drawn: the data of a page that mincore() reports as absent may still be on its way. Then the next read does not make the
//   disk read the page again.
// What breaks it: a disk that takes longer than kArrivalMaxNs, and pages that are evicted within that time.
#pragma once

#include <cstdint>

#include "tools/discnice/descriptor/brought_pages.hpp"

namespace discnice::guest {

/// Plain words, zero at first. Only one thread at a time changes them.
class PagesInFlight {
 public:
  /// Longer than a disk takes to deliver a request.
  static constexpr std::uint64_t kArrivalMaxNs = 250'000'000;

  /// From now on the pages are kept, because mincore() is asked.
  void keep() { is_kept_ = true; }
  [[nodiscard]] bool is_kept() const { return is_kept_; }

  /// Notes that a read that begins now fetches this run.
  void add(const PageRun& run, std::uint64_t now_ns) {
    runs_[next_] = run;
    began_ns_[next_] = now_ns;
    next_ = (next_ + 1) % kRuns;
  }

  /// Whether this page may still be on its way.
  [[nodiscard]] bool has(std::uint64_t page, std::uint64_t now_ns) const {
    for (unsigned i = 0; i < kRuns; ++i) {
      if (page >= runs_[i].first_page && page < runs_[i].end_page && now_ns - began_ns_[i] < kArrivalMaxNs)
        return true;
    }
    return false;
  }

 private:
  static constexpr unsigned kRuns = 4;  // the windows that one descriptor has on their way, and some more
  PageRun runs_[kRuns];
  std::uint64_t began_ns_[kRuns];
  unsigned next_;
  bool is_kept_;
};

}  // namespace discnice::guest
