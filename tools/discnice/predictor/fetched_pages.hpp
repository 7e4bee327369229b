// SPDX-License-Identifier: MIT
// fetched_pages: the expected state of the page cache in the middle of a read, when some of the read's windows have been fetched and
// others have not.
//
// An oracle answers for the moment before the read. But the kernel looks at the page cache again for each window of one read, and then finds the pages of the earlier windows.
#pragma once

#include <cstdint>

#include "tools/discnice/predictor/residency_oracle.hpp"

namespace discnice::predictor {

/// The object is for one read. Its oracle refers to it, so the object must not be moved.
class FetchedPages {
 public:
  explicit FetchedPages(const ResidencyOracle& before);
  FetchedPages(const FetchedPages&) = delete;
  FetchedPages& operator=(const FetchedPages&) = delete;

  /// The answers of `before`, with the added pages as resident. A probing oracle is left unchanged.
  [[nodiscard]] const ResidencyOracle& oracle() const { return oracle_; }
  /// Notes that the pages [first_page, end_page) have been fetched. Also tells the listener of `before`.
  void add(std::uint64_t first_page, std::uint64_t end_page);

 private:
  // As a rule windows follow one another and make one run. When there are more runs than this, the further runs are not noted.
  static constexpr std::uint32_t kRunsMax = 16;
  struct Run {
    std::uint64_t first_page;
    std::uint64_t end_page;
  };

  static std::uint64_t count_resident(void* context, std::uint64_t first_page, std::uint64_t page_count);
  [[nodiscard]] std::uint64_t count(std::uint64_t page, std::uint64_t end) const;

  const ResidencyOracle& before_;
  ResidencyOracle oracle_;
  Run runs_[kRunsMax];  // sorted, with gaps between them; only the first run_count_ are set
  std::uint32_t run_count_ = 0;
};

}  // namespace discnice::predictor
