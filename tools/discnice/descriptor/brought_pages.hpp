// SPDX-License-Identifier: MIT
// brought_pages: the pages of one open file that the job has brought into the page cache, and the pages among them that the reader has passed.
//
// A program that reads a whole file has one run of pages, from behind its position to the end of the read-ahead window. In a partly cached file each gap is a run. In a file
// that is read at random places each read is a run. Only kRunsMax runs are remembered. The pages of a forgotten run stay in the cache.
//
// The code is pure. An object of zero bytes is empty.
#pragma once

#include <cstdint>

namespace discnice::guest {

/// Pages [first_page, end_page) of a file.
struct PageRun {
  std::uint64_t first_page;
  std::uint64_t end_page;
};

inline bool is_empty(const PageRun& run) {
  return run.first_page >= run.end_page;
}

/// Pages that the reader has passed. The pages before `news_page` were dropped before, but may still be cached, because a large folio extended beyond the end
/// of that drop.
struct Parting {
  PageRun run;
  std::uint64_t news_page;
};

/// A run of at least this many pages, or a run from the beginning of the file, counts as read in order. Other runs count as read at
/// random places.
inline constexpr std::uint64_t kStreamedPagesMin = 32;

class BroughtPages {
 public:
  static constexpr unsigned kRunsMax = 16;

  /// Adds pages that came in. When there are too many runs, the oldest run is forgotten.
  void add(const PageRun& run);

  /// Notes that these pages were dropped. `is_end_gone` says that the last of these pages is no longer cached. Then no folio extends beyond it, and none of
  /// these pages is returned again.
  void note_let_go(const Parting& parting, bool is_end_gone);

  /// True when some of these pages were dropped before: the reader reads them a second time.
  [[nodiscard]] bool was_let_go(const PageRun& run) const;

  /// Returns the next pages that a reader at `page` has passed: at least `pages_min`, or the rest of a run that has ended. Empty when there are none. Each page is returned
  /// once. The result also holds up to `overlap_pages` of the pages returned before it.
  Parting part_behind(std::uint64_t page, std::uint64_t pages_min, std::uint64_t overlap_pages);

  /// Returns all remaining pages, one run for each call.
  Parting part_all(std::uint64_t overlap_pages);

  [[nodiscard]] bool has_runs() const { return count_ != 0; }
  void forget() {
    count_ = 0;
    gone_first_page_ = gone_end_page_ = 0;
  }

 private:
  struct Run {
    std::uint64_t first_page;
    std::uint64_t again_page;  // pages before this one are not returned again
    std::uint64_t news_page;   // pages before this one were returned
    std::uint64_t end_page;
  };

  Parting part(Run& run, std::uint64_t end_page, std::uint64_t overlap_pages);
  void drop(unsigned place);

  Run runs_[kRunsMax] = {};
  std::uint64_t gone_first_page_ = 0;  // all dropped pages lie between this page and the next
  std::uint64_t gone_end_page_ = 0;
  unsigned count_ = 0;
};

}  // namespace discnice::guest
