// SPDX-License-Identifier: MIT
// brought_pages: which pages of one open file the job has brought into the page cache, and which of them a reader is done with.
//
// A reader of a whole file has one run of them, behind what it reads and a window ahead. Of a file that is cached here and there it has a run for
// each gap; of a file that is read here and there each read has one. Only so many are remembered: what is forgotten stays in the cache.
//
// Pure; zero bytes are an empty one.
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

/// Pages that a reader is done with. Those before `news_page` were named before: a large folio that reached over their end stayed then.
struct Parting {
  PageRun run;
  std::uint64_t news_page;
};

/// What was read in one go, of at least so many pages, or from the beginning of its file on, was streamed; the rest was looked up.
inline constexpr std::uint64_t kStreamedPagesMin = 32;

class BroughtPages {
 public:
  static constexpr unsigned kRunsMax = 16;

  /// Pages that came in. The oldest run is forgotten when there are too many.
  void add(const PageRun& run);

  /// These were let go of. `is_end_gone`: their last page is, too, so that no folio reaches over their end and none of them is named again.
  void note_let_go(const Parting& parting, bool is_end_gone);

  /// True when some of these were let go of: the reader has come back to them.
  [[nodiscard]] bool was_let_go(const PageRun& run) const;

  /// The next pages that a reader at `page` is done with: `pages_min` of them at least, or the rest of a run that has ended. Empty when there are
  /// none. Each page is named once; with it up to `overlap_pages` of those named before it.
  Parting part_behind(std::uint64_t page, std::uint64_t pages_min, std::uint64_t overlap_pages);

  /// The same of all that is left, of one run after the other.
  Parting part_all(std::uint64_t overlap_pages);

  [[nodiscard]] bool has_runs() const { return count_ != 0; }
  void forget() {
    count_ = 0;
    gone_first_page_ = gone_end_page_ = 0;
  }

 private:
  struct Run {
    std::uint64_t first_page;
    std::uint64_t again_page;  // none before it is named again
    std::uint64_t news_page;   // all before it were named
    std::uint64_t end_page;
  };

  Parting part(Run& run, std::uint64_t end_page, std::uint64_t overlap_pages);
  void drop(unsigned place);

  Run runs_[kRunsMax] = {};
  std::uint64_t gone_first_page_ = 0;  // all that was let go of lies in between
  std::uint64_t gone_end_page_ = 0;
  unsigned count_ = 0;
};

}  // namespace discnice::guest
