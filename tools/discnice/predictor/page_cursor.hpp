// SPDX-License-Identifier: MIT
// page_cursor: emulates how the kernel looks for the nearest absent page, with the error that it makes inside large folios.
//
// Knowledge assumed: Linux mm/filemap.c, page_cache_prev_miss() and page_cache_next_miss(), which walk the page cache's tree with xas_prev() and
//   xas_next() of lib/xarray.c (6.18). The tree has nodes of 64 slots. A large folio fills several neighbouring slots. A folio of 64 pages and more
//   fills slots of the level above. When the first step lands inside a folio, it moves the cursor's place to the folio's head, but not the
//   cursor's page number. From there on the walk reports the wrong number, until the edge of a node corrects it or makes it worse.
// Output observed: which pages are resident (ResidencyOracle) and which folio they are in (Folios).
// Inference drawn: the page number that the kernel takes for the nearest absent page.
// What breaks it: folios that were not noted, and pages that come or go meanwhile.
#pragma once

#include <cstdint>

#include "tools/discnice/predictor/folios.hpp"
#include "tools/discnice/predictor/residency_oracle.hpp"

namespace discnice::predictor {

/// The object is for one search. The oracle must be able to count.
class PageCursor {
 public:
  PageCursor(const FileId& file, const Folios& folios, const ResidencyOracle& oracle)
      : file_(file), folios_(folios), oracle_(oracle) {}

  /// The nearest absent page at or before `page`. It looks at `pages_max` pages at most, and wraps to UINT64_MAX before page 0.
  std::uint64_t previous_miss(std::uint64_t page, std::uint64_t pages_max);
  /// The nearest absent page at or after `page`. It looks at `pages_max` pages at most, and returns page + pages_max when there is none.
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
  std::uint64_t page_ = 0;  // where the cursor says that it is
  std::uint64_t slot_ =
      0;  // where it really is: a slot of 64^level pages, counted from the start of the file
  std::uint32_t level_ = 0;
  std::uint64_t run_first_ = 0;  // a range known to be resident
  std::uint64_t run_end_ = 0;
};

}  // namespace discnice::predictor
