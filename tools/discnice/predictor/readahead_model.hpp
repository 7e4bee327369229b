// SPDX-License-Identifier: MIT
// readahead_model: an emulation of the kernel's on-demand read-ahead for one open file.
//
// Knowledge assumed: Linux mm/readahead.c, page_cache_sync_ra() and page_cache_async_ra(), as of 6.18, and ondemand_readahead() of the releases before 6.11. Each open file
// description has a window (start, size, part that is read ahead). The window grows fourfold or twofold, up to the device's limit. The use of a marked page starts the next
// window. A miss behind cached pages starts context read-ahead. In what
//   the releases differ: toolbox/base/readahead_rules.hpp.
// Output observed: which pages are resident (through ResidencyOracle), and the device's limits.
// Inference drawn: which pages this read will make the kernel fetch.
// What breaks it: markers and folios left by other processes, page faults of mappings. The kernel's account settles all of these after the fact.
#pragma once

#include <cstdint>

#include "toolbox/base/readahead_rules.hpp"
#include "tools/discnice/predictor/cache_model.hpp"
#include "tools/discnice/predictor/cache_shape.hpp"
#include "tools/discnice/predictor/residency_oracle.hpp"

namespace discnice::predictor {

/// Limits of the device a file lies on, in pages.
struct ReadaheadLimits {
  std::uint64_t window_pages_max = 32;   // /sys/class/bdi/*/read_ahead_kb; the default of most distributions
  std::uint64_t request_pages_max = 32;  // the largest request the device takes (max_sectors_kb)
  std::uint32_t folio_order_max =
      0;  // the largest folio its file system makes, 2^n pages; 0: single pages only
  gray::base::ReadaheadRules rules = 0;  // of the kernel
};

/// What the kernel keeps for each open file description.
struct ReadaheadState {
  std::uint64_t start_page = 0;
  std::uint64_t size_pages = 0;
  std::uint64_t ahead_pages = 0;                  // the tail of the window that was read ahead
  std::uint64_t previous_end_bytes = UINT64_MAX;  // one past the last byte read; all ones at open
  std::uint32_t unused_markers = 0;               // markers left through this description, as far as is known
  std::uint32_t order = 0;                        // hint for folio size: window ends are aligned to it
  bool is_random = false;  // POSIX_FADV_RANDOM: misses fetch what was asked for and leave no marker
};

/// One read as the model sees it, in pages: [first_page, end_page), and the file's size.
struct PageRange {
  FileId file;
  std::uint64_t first_page;
  std::uint64_t end_page;
  std::uint64_t file_pages;
};

/// The advice that posix_fadvise() gave for one open file, as far as it changes read-ahead.
enum class Advice : std::uint8_t { normal, sequential, random };

/// Changes the state and the limits of one open file as mm/fadvise.c does: sequential doubles the window, random sets a mode.
void advise(ReadaheadState& state, ReadaheadLimits& limits, const ReadaheadLimits& device_limits,
            Advice advice);

/// Predicts how many pages the disk must deliver for this read, and advances the state and the belief. `end_bytes` is the place behind the last byte that the read will return.
std::uint64_t predict_read_pages(ReadaheadState& state, Belief& belief, const ReadaheadLimits& limits,
                                 const PageRange& range, std::uint64_t end_bytes, CacheShape& shape,
                                 const ResidencyOracle& oracle, std::uint64_t now_ns);

}  // namespace discnice::predictor
