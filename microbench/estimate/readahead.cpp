// SPDX-License-Identifier: MIT
#include "microbench/estimate/readahead.hpp"

#include <algorithm>

namespace microbench::estimate {
namespace {

// After this many windows of the same size in a row, the window has stopped growing.
constexpr std::size_t kSteadyWindows = 3;

// After this many reads that fetched only their own page, there is no read-ahead.
constexpr std::size_t kLonelyReads = 64;

// A stream that begins elsewhere shows its first window within this many reads.
constexpr std::uint64_t kRestartReads = 16;

// The distance around a single read within which the pages that were fetched with it are searched.
constexpr std::uint64_t kAroundPages = 64;

// The end of the run of cached pages that begins before `page`.
std::uint64_t end_of_run(ReadaheadSubject& subject, std::uint64_t page) {
  std::uint64_t low = page;  // all pages before it are cached
  std::uint64_t step = 1;
  while (low < subject.pages()) {
    const std::uint64_t count = std::min(step, subject.pages() - low);
    if (subject.resident(low, count) < count) break;
    low += count;
    step *= 2;
  }
  std::uint64_t high = std::min(low + step, subject.pages());
  while (low < high) {
    const std::uint64_t middle = low + (high - low + 1) / 2;
    if (subject.resident(low, middle - low) == middle - low) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

bool is_steady(const std::vector<std::uint64_t>& windows) {
  if (windows.size() < kSteadyWindows) return false;
  const auto last = windows.end() - kSteadyWindows;
  return std::all_of(last, windows.end(), [&](std::uint64_t w) { return w == *last && w > 1; });
}

bool is_lonely(const std::vector<std::uint64_t>& windows) {
  return windows.size() >= kLonelyReads &&
         std::all_of(windows.begin(), windows.end(), [](std::uint64_t w) { return w == 1; });
}

// Reads page by page from `page` until `is_enough`; returns the next page to read.
template <typename Enough>
std::uint64_t stream(ReadaheadSubject& subject, std::uint64_t page, std::uint64_t& end,
                     std::vector<std::uint64_t>& windows, Enough is_enough) {
  while (page < subject.pages() && !is_enough()) {
    subject.read_page(page);
    end = std::max(end, page);
    if (end < subject.pages() && subject.resident(end, 1) == 1) {
      const std::uint64_t now = end_of_run(subject, end);
      windows.push_back(now - end);
      end = now;
    }
    ++page;
  }
  return page;
}

void observe_growth(ReadaheadSubject& subject, Readahead& found) {
  subject.start_over();
  std::uint64_t end = 0;
  stream(subject, 0, end, found.windows,
         [&] { return is_steady(found.windows) || is_lonely(found.windows) || (end == subject.pages()); });
  if (found.windows.empty()) return;
  found.initial_pages = found.windows.front();
  found.is_max_known = is_steady(found.windows) || is_lonely(found.windows);
  found.max_pages = is_lonely(found.windows) ? 0 : found.windows.back();
}

// A place three quarters into the file, which a stream of a few windows does not reach.
std::uint64_t elsewhere(const ReadaheadSubject& subject) {
  return subject.pages() / 4 * 3 + 1;
}

void observe_random(ReadaheadSubject& subject, Readahead& found) {
  subject.start_over();
  const std::uint64_t page = elsewhere(subject);
  subject.read_page(page);
  const std::uint64_t first = page > kAroundPages ? page - kAroundPages : 0;
  const std::uint64_t before = subject.resident(first, page - first);
  found.random_pages = before + end_of_run(subject, page) - page;
  std::uint64_t end = page + 1;
  std::vector<std::uint64_t> windows;
  const std::uint64_t last = page + kRestartReads;
  std::uint64_t next = page + 1;
  while (next < last && windows.empty()) {
    next = stream(subject, next, end, windows, [&] { return !windows.empty() || end > next + 1; });
    if (!windows.empty() && windows.back() <= 1) windows.clear();
    if (next >= subject.pages()) break;
  }
  found.restart_pages = windows.empty() ? 0 : windows.front();
}

// The stream is broken just before a window that would be larger than the first window in an unbroken stream.
void observe_seek(ReadaheadSubject& subject, Readahead& found) {
  const auto larger = std::find_if(found.windows.begin(), found.windows.end(),
                                   [&](std::uint64_t w) { return w > found.initial_pages; });
  if (larger == found.windows.end() || found.max_pages == 0) return;
  const auto before = static_cast<std::size_t>(larger - found.windows.begin());
  subject.start_over();
  std::uint64_t end = 0;
  std::vector<std::uint64_t> windows;
  const std::uint64_t page = stream(subject, 0, end, windows, [&] { return windows.size() >= before; });
  subject.read_page(elsewhere(subject));
  stream(subject, page, end, windows, [&] { return windows.size() > before; });
  found.is_reset_by_seek = windows.size() > before && windows[before] <= found.initial_pages;
}

}  // namespace

Readahead observe_readahead(ReadaheadSubject& subject) {
  Readahead found;
  observe_growth(subject, found);
  observe_random(subject, found);
  observe_seek(subject, found);
  return found;
}

}  // namespace microbench::estimate
