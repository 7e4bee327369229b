// SPDX-License-Identifier: MIT
// readahead_model: emulates the kernel's on-demand read-ahead for one open file.
//
// Knowledge assumed: Linux mm/readahead.c, page_cache_sync_ra() and page_cache_async_ra(), as of 6.18, and ondemand_readahead() of the releases
//   before 6.11. Each open file description has a window (start, size, part that is read ahead), which grows fourfold or twofold up to the device's
//   limit. The use of a marked page starts the next window. After a miss, the cached pages before it can start a context read-ahead. The differences
//   between the releases: toolbox/base/readahead_rules.hpp.
// Output observed: which pages are resident (through ResidencyOracle), and the device's limits.
// Inference drawn: which pages this read will make the kernel fetch.
// What breaks it: markers and folios left by other processes, page faults of mappings. The kernel's account corrects all of these afterwards.
#pragma once

#include <cstdint>

#include "toolbox/base/readahead_rules.hpp"
#include "tools/discnice/predictor/cache_model.hpp"
#include "tools/discnice/predictor/cache_shape.hpp"
#include "tools/discnice/predictor/residency_oracle.hpp"

namespace discnice::predictor {

/// Limits of the device on which a file lies, in pages.
struct ReadaheadLimits {
  std::uint64_t window_pages_max = 32;   // /sys/class/bdi/*/read_ahead_kb; the default of most distributions
  std::uint64_t request_pages_max = 32;  // the largest request the device takes (max_sectors_kb)
  std::uint32_t folio_order_max =
      0;  // the largest folio that the file system makes has 2^n pages; 0: single pages only
  gray::base::ReadaheadRules rules = 0;  // the rules of this kernel
};

/// What the kernel keeps for each open file description.
struct ReadaheadState {
  std::uint64_t start_page = 0;
  std::uint64_t size_pages = 0;
  std::uint64_t ahead_pages = 0;                  // the part of the window that was read ahead
  std::uint64_t previous_end_bytes = UINT64_MAX;  // the last read byte plus one; all ones at open
  std::uint32_t unused_markers = 0;               // markers that this description left, as far as is known
  std::uint32_t order = 0;  // a hint for the size of folios: window ends are aligned to it
  bool is_random = false;   // POSIX_FADV_RANDOM: a miss fetches only the wanted pages and leaves no marker
};

/// One read, in pages: [first_page, end_page), and the size of the file.
struct PageRange {
  FileId file;
  std::uint64_t first_page;
  std::uint64_t end_page;
  std::uint64_t file_pages;
};

/// The part of posix_fadvise() that changes the kernel's read-ahead of one open file.
enum class Advice : std::uint8_t { normal, sequential, random };

/// Changes the state and the limits of one open file as mm/fadvise.c does: sequential doubles the window, random sets a mode.
void advise(ReadaheadState& state, ReadaheadLimits& limits, const ReadaheadLimits& device_limits,
            Advice advice);

/// Predicts how many pages the disk must deliver for this read, and changes the state and the set of resident pages accordingly. `end_bytes` is the
/// last byte that the read will return plus one.
std::uint64_t predict_read_pages(ReadaheadState& state, Belief& belief, const ReadaheadLimits& limits,
                                 const PageRange& range, std::uint64_t end_bytes, CacheShape& shape,
                                 const ResidencyOracle& oracle, std::uint64_t now_ns);

}  // namespace discnice::predictor
