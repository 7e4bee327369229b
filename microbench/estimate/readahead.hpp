// SPDX-License-Identifier: MIT
// readahead: the kernel's read-ahead, found by reading and then checking which pages have arrived.
//
// Knowledge assumed: for a reader that continues where it stopped, the kernel fetches a window of further pages. At a mark in the window it fetches the next window, larger each
// time up to a limit. A read elsewhere fetches only the requested pages. Observed: after each read of one page, how far the pages in memory reach. Inferred:
// each jump of that end is one window; the limit is the window that repeats. /sys is not read. What breaks it:
// another program that reads the file, and reclaim.
#pragma once

#include <cstdint>
#include <vector>

namespace microbench::estimate {

/// A file that tells which of its pages are cached. Tests use a model of the kernel, the program a real file.
class ReadaheadSubject {
 public:
  virtual ~ReadaheadSubject() = default;
  /// Drops all pages and opens the file anew.
  virtual void start_over() = 0;
  /// Reads one page through the open file.
  virtual void read_page(std::uint64_t page) = 0;
  /// How many of these pages are in memory, after all requested pages have arrived.
  virtual std::uint64_t resident(std::uint64_t first, std::uint64_t count) = 0;
  [[nodiscard]] virtual std::uint64_t pages() const = 0;
};

struct Readahead {
  std::vector<std::uint64_t> windows;  ///< In pages, in the order fetched, from a read of page 0 on.
  /// The pages fetched by a read of page 0: that page and the pages that were fetched with it.
  std::uint64_t initial_pages = 0;
  std::uint64_t max_pages = 0;      ///< The window that repeats; 0 where nothing is read ahead.
  bool is_max_known = false;        ///< False where the file ended before the window stopped growing.
  std::uint64_t random_pages = 0;   ///< Pages fetched by one read elsewhere, including the page itself.
  std::uint64_t restart_pages = 0;  ///< The first window of a stream that begins elsewhere.
  /// Whether a stream that is broken by one read elsewhere starts with a small window again.
  bool is_reset_by_seek = false;
};

/// Reads through `subject`. No other program may read the file at the same time.
Readahead observe_readahead(ReadaheadSubject& subject);

}  // namespace microbench::estimate
