// SPDX-License-Identifier: MIT
// brought_pages: which pages of one open file the job has brought into the page cache, and which of these pages its reader no longer needs.
//
// A reader of a whole file has one run of such pages, from the pages behind its position to one window ahead. If parts of the file were cached before, the reader has one run for
// each gap. If a file is read at random places, each read makes a run. Only a fixed number of runs is remembered. The pages of a forgotten run stay in the cache.
//
// Pure. Zero bytes are an empty object.
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

/// Pages that a reader no longer needs. The pages before `news_page` were named before: they stayed then because a large folio reached over their end.
struct Parting {
  PageRun run;
  std::uint64_t news_page;
};

/// A run of at least this many pages that was read at once, or a run from the beginning of its file, was streamed. All other runs were looked up.
inline constexpr std::uint64_t kStreamedPagesMin = 32;

class BroughtPages {
 public:
  static constexpr unsigned kRunsMax = 16;

  /// Adds pages that came in. If there are too many runs, the oldest one is forgotten.
  void add(const PageRun& run);

  /// Notes that these pages were dropped. `is_end_gone` means that their last page was dropped, too. Then no folio reaches over their end, and none of them is named again.
  void note_let_go(const Parting& parting, bool is_end_gone);

  /// True if some of these pages were dropped before: then the reader has come back to them.
  [[nodiscard]] bool was_let_go(const PageRun& run) const;

  /// The next pages that a reader at `page` no longer needs: at least `pages_min` pages, or the rest of a run that has ended. Empty if there are none. Each page is named once,
  /// together with up to `overlap_pages` of the pages named before it.
  Parting part_behind(std::uint64_t page, std::uint64_t pages_min, std::uint64_t overlap_pages);

  /// The same for all remaining pages, one run after the other.
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
