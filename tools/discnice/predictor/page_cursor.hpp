// SPDX-License-Identifier: MIT
// page_cursor: emulates how the kernel looks for the nearest absent page, with the error that it makes inside large folios.
//
// Knowledge assumed: page_cache_prev_miss() and page_cache_next_miss() of Linux mm/filemap.c walk the page cache's tree with xas_prev() and xas_next() of lib/xarray.c (6.18). A
// node has 64 slots. A large folio lies in several neighbouring slots. A folio of 64 pages or more lies in slots of the level above. A first look that lands inside a folio moves
// the cursor's place to the folio's
//   head, but not its page number; from there on the walk tells the wrong number until a node's edge puts it right or makes
//   it worse.
// Output observed: which pages are resident (ResidencyOracle) and which folio they are in (Folios).
// Inference drawn: the page number that the kernel takes for the nearest absent one.
// What breaks it: folios nobody noted, and pages that come or go meanwhile.
#pragma once

#include <cstdint>

#include "tools/discnice/predictor/folios.hpp"
#include "tools/discnice/predictor/residency_oracle.hpp"

namespace discnice::predictor {

/// Lives for one look. The oracle must be able to count.
class PageCursor {
 public:
  PageCursor(const FileId& file, const Folios& folios, const ResidencyOracle& oracle)
      : file_(file), folios_(folios), oracle_(oracle) {}

  /// The absent page nearest before or at `page`, looking at `pages_max` at most; wraps to UINT64_MAX before page 0.
  std::uint64_t previous_miss(std::uint64_t page, std::uint64_t pages_max);
  /// The absent page nearest after or at `page`, looking at `pages_max` at most; page + pages_max when there is none.
  std::uint64_t next_miss(std::uint64_t page, std::uint64_t pages_max);

 private:
  bool load();
  bool step_back();
  bool step_on();
  bool descend();
  [[nodiscard]] std::uint64_t index_slot(std::uint32_t level) const { return page_ >> (6U * level); }
  bool is_resident(std::uint64_t page, bool is_forward);
  bool holds_pages(std::uint32_t level, std::uint64_t slot);

  const FileId& file_;
  const Folios& folios_;
  const ResidencyOracle& oracle_;
  std::uint64_t page_ = 0;  // where the cursor says it is
  std::uint64_t slot_ = 0;  // where it is: a slot of 64^level pages, counted from the start of the file
  std::uint32_t level_ = 0;
  std::uint64_t run_first_ = 0;  // a stretch known to be resident
  std::uint64_t run_end_ = 0;
};

}  // namespace discnice::predictor
