// SPDX-License-Identifier: MIT
#include "microbench/estimate/readahead_rules.hpp"

#include <algorithm>

namespace microbench::estimate {
namespace {

using gray::base::ReadaheadRules;

// The largest window must be at least this large for the rules to show.
constexpr std::uint64_t kWindowPagesMin = 16;
// A page inside the file whose number is 1 more than a multiple of eight, so that it is not at a border where a window ends.
constexpr std::uint64_t kOddPages = 1001;

// How many successive pages from `first` on are in memory, up to `most`.
std::uint64_t run_from(RulesSubject& subject, std::uint64_t first, std::uint64_t most) {
  std::uint64_t low = 0;
  std::uint64_t high = std::min(most, subject.pages() - first);
  while (low < high) {
    const std::uint64_t middle = (low + high + 1) / 2;
    if (subject.resident(first, middle) == middle)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

// Begins a stream at `page`; returns the end of its window.
std::uint64_t begin_stream(RulesSubject& subject, std::uint64_t page, std::uint64_t window_pages_max) {
  subject.start_over();
  subject.read(page - 1, 1);
  subject.read(page, 1);
  return page + run_from(subject, page, 4 * window_pages_max);
}

// Looks at the end of the second window of a stream at an odd page: with folios of four pages it would be a multiple of four.
bool ends_anywhere(RulesSubject& subject, std::uint64_t window_pages_max) {
  begin_stream(subject, kOddPages, window_pages_max);
  subject.read(kOddPages + 1, 1);
  return (kOddPages + run_from(subject, kOddPages, 4 * window_pages_max)) % 4 != 0;
}

// Jumps over the mark to the first page behind the window. A kernel that detects a stream by the cached pages before the target of the jump reads as many pages
// ahead.
bool goes_on_at_miss(RulesSubject& subject, std::uint64_t window_pages_max) {
  const std::uint64_t end = begin_stream(subject, kOddPages, window_pages_max);
  const std::uint64_t before = end - (kOddPages - 1);
  subject.read(end, 1);
  return run_from(subject, end, 4 * window_pages_max) > before + 1;
}

// Makes one read of three pages that are cached and three that are not.
bool is_previous_by_page(RulesSubject& subject, std::uint64_t window_pages_max) {
  constexpr std::uint64_t kThere = 3;
  subject.start_over();
  subject.bring_in(kOddPages, kThere);
  subject.read(kOddPages, 2 * kThere);
  return run_from(subject, kOddPages, 4 * window_pages_max) > 2 * kThere;
}

// Reads a whole page, and then the page after the next page.
bool is_previous_last_page(RulesSubject& subject, std::uint64_t window_pages_max) {
  subject.start_over();
  subject.read(kOddPages, 1);
  subject.read(kOddPages + 2, 1);
  return run_from(subject, kOddPages + 2, window_pages_max) == 1;
}

// Makes a request of one and a half windows inside a stream. If windows do not shrink, and the device takes the request whole, the window after it is as large as the request, or
// is one window.
bool may_shrink(RulesSubject& subject, std::uint64_t window_pages_max) {
  subject.start_over();
  subject.read(kOddPages - 1, 1);
  subject.read(kOddPages, window_pages_max + window_pages_max / 2);
  return run_from(subject, kOddPages, 4 * window_pages_max) <=
         2 * window_pages_max + 3 * window_pages_max / 4;
}

// A second stream reads the mark that the first stream left, with no page missing for a window's length behind it.
bool is_last_missing(RulesSubject& subject, std::uint64_t window_pages_max) {
  const std::uint64_t end = begin_stream(subject, kOddPages, window_pages_max);
  subject.bring_in(end, window_pages_max);
  subject.open_anew();
  subject.read(kOddPages + 1, 1);
  return run_from(subject, end + window_pages_max, 1) == 1;
}

}  // namespace

ReadaheadRulesFound observe_readahead_rules(RulesSubject& subject, std::uint64_t window_pages_max) {
  ReadaheadRulesFound found;
  const std::uint64_t pages = subject.pages();
  if (window_pages_max < kWindowPagesMin || pages < kOddPages + 4 * window_pages_max) return found;
  constexpr struct {
    ReadaheadRules rule;
    bool (*is_followed)(RulesSubject&, std::uint64_t);
  } kRules[] = {
      {gray::base::kWindowEndsAnywhere, ends_anywhere},
      {gray::base::kMissGoesOn, goes_on_at_miss},
      {gray::base::kPreviousByPage, is_previous_by_page},
      {gray::base::kPreviousIsLastPage, is_previous_last_page},
      {gray::base::kWindowMayShrink, may_shrink},
      {gray::base::kLastIsMissing, is_last_missing},
  };
  for (const auto& one : kRules)
    if (one.is_followed(subject, window_pages_max)) found.rules |= one.rule;
  found.are_told = true;
  return found;
}

}  // namespace microbench::estimate
