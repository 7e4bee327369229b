// SPDX-License-Identifier: MIT
// readahead: finds the kernel's read-ahead by reading and asking which pages have arrived.
//
// Knowledge assumed: a reader who goes on where he stopped is given a window of further pages; at a mark in it the next
// window is fetched, larger each time up to a limit; a read elsewhere brings what was asked for. Observed: after each
// read of one page, how far the pages in memory reach. Inferred: each jump of that end is one window; the limit is the
// window that repeats. Nothing is asked of /sys. What breaks it: somebody else who reads the file, and reclaim.
#pragma once

#include <cstdint>
#include <vector>

namespace microbench::estimate {

/// A file whose pages can be asked for. Tests provide a model of the kernel, the program provides a real file.
class ReadaheadSubject {
 public:
  virtual ~ReadaheadSubject() = default;
  /// Drops all pages and opens the file anew.
  virtual void start_over() = 0;
  /// Reads one page through the open file.
  virtual void read_page(std::uint64_t page) = 0;
  /// How many of these pages are in memory, after all requests under way have arrived.
  virtual std::uint64_t resident(std::uint64_t first, std::uint64_t count) = 0;
  [[nodiscard]] virtual std::uint64_t pages() const = 0;
};

struct Readahead {
  std::vector<std::uint64_t> windows;  ///< In pages, in the order fetched, from a read of page 0 on.
  std::uint64_t initial_pages = 0;     ///< Brought by reading page 0: that page and what came with it.
  std::uint64_t max_pages = 0;         ///< The window that repeats; 0 where nothing is read ahead.
  bool is_max_known = false;           ///< False where the file ended before the window stopped growing.
  std::uint64_t random_pages = 0;      ///< Brought by one read elsewhere, the page itself included.
  std::uint64_t restart_pages = 0;     ///< The first window of a stream that begins elsewhere.
  bool is_reset_by_seek = false;       ///< A stream broken by one read elsewhere starts small again.
};

/// Reads through `subject`. No other program may read the file meanwhile.
Readahead observe_readahead(ReadaheadSubject& subject);

}  // namespace microbench::estimate
