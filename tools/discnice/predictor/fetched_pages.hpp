// SPDX-License-Identifier: MIT
// fetched_pages: the page cache as it will be in the middle of a read, when some of the read's windows have come in and others have not.
//
// An oracle answers for the moment before the read. But the kernel looks at the page cache again for each window of one read, and finds the pages of the windows before.
#pragma once

#include <cstdint>

#include "tools/discnice/predictor/residency_oracle.hpp"

namespace discnice::predictor {

/// Lives for one read. Its oracle refers to it, so it must not be moved.
class FetchedPages {
 public:
  explicit FetchedPages(const ResidencyOracle& before);
  FetchedPages(const FetchedPages&) = delete;
  FetchedPages& operator=(const FetchedPages&) = delete;

  /// Answers as `before`, but the added pages are resident. For an oracle that probes, nothing is changed.
  [[nodiscard]] const ResidencyOracle& oracle() const { return oracle_; }
  /// Notes that the pages [first_page, end_page) have come in, and tells the listener of `before`.
  void add(std::uint64_t first_page, std::uint64_t end_page);

 private:
  // Usually the windows follow one another and make one run. If there are more runs than this, the answers of `before` are used.
  static constexpr std::uint32_t kRunsMax = 16;
  struct Run {
    std::uint64_t first_page;
    std::uint64_t end_page;
  };

  static std::uint64_t count_resident(void* context, std::uint64_t first_page, std::uint64_t page_count);
  [[nodiscard]] std::uint64_t count(std::uint64_t page, std::uint64_t end) const;

  const ResidencyOracle& before_;
  ResidencyOracle oracle_;
  Run runs_[kRunsMax];  // in order, apart from each other; only the first run_count_ are set
  std::uint32_t run_count_ = 0;
};

}  // namespace discnice::predictor
