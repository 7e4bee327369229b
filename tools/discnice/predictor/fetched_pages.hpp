// SPDX-License-Identifier: MIT
// fetched_pages: the page cache as it will be in the middle of a read, when some of its windows have come in and others have not.
//
// An oracle answers for the moment before the read. But the kernel looks at the page cache again for each window of one read, and finds the pages of the windows before.
#pragma once

#include <cstdint>

#include "tools/discnice/predictor/residency_oracle.hpp"

namespace discnice::predictor {

/// Lives for one read. Its oracle refers to it, so it stays where it is.
class FetchedPages {
 public:
  explicit FetchedPages(const ResidencyOracle& before);
  FetchedPages(const FetchedPages&) = delete;
  FetchedPages& operator=(const FetchedPages&) = delete;

  /// What `before` says, and that the pages added are resident. Of an oracle that probes it changes nothing.
  [[nodiscard]] const ResidencyOracle& oracle() const { return oracle_; }
  /// The pages [first_page, end_page) have come in; tells the one who listens to `before`.
  void add(std::uint64_t first_page, std::uint64_t end_page);

 private:
  // Windows follow one another as a rule and make one run. Of more runs than this the oracle before is believed.
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
