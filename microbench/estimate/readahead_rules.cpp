// SPDX-License-Identifier: MIT
#include "microbench/estimate/readahead_rules.hpp"

#include <algorithm>

namespace microbench::estimate {
namespace {

using gray::base::ReadaheadRules;

// The window must be at least this large for the rules to show.
constexpr std::uint64_t kWindowPagesMin = 16;
// A page somewhere inside, of a number that is 1 more than a multiple of any window's end.
constexpr std::uint64_t kOddPages = 1001;

// How many cached pages follow each other from `first` on, at most `most`.
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

// Begins a stream at `page`. Returns where its window ends.
std::uint64_t begin_stream(RulesSubject& subject, std::uint64_t page, std::uint64_t window_pages_max) {
  subject.start_over();
  subject.read(page - 1, 1);
  subject.read(page, 1);
  return page + run_from(subject, page, 4 * window_pages_max);
}

// The second window of a stream at an odd page: a folio of four would end at a multiple of four.
bool ends_anywhere(RulesSubject& subject, std::uint64_t window_pages_max) {
  begin_stream(subject, kOddPages, window_pages_max);
  subject.read(kOddPages + 1, 1);
  return (kOddPages + run_from(subject, kOddPages, 4 * window_pages_max)) % 4 != 0;
}

// Jumps over the marker to the first page behind the window. A kernel that takes this for a stream, because of the cached pages before it, reads ahead as many pages.
bool goes_on_at_miss(RulesSubject& subject, std::uint64_t window_pages_max) {
  const std::uint64_t end = begin_stream(subject, kOddPages, window_pages_max);
  const std::uint64_t before = end - (kOddPages - 1);
  subject.read(end, 1);
  return run_from(subject, end, 4 * window_pages_max) > before + 1;
}

// One read of three cached pages and three uncached ones.
bool is_previous_by_page(RulesSubject& subject, std::uint64_t window_pages_max) {
  constexpr std::uint64_t kThere = 3;
  subject.start_over();
  subject.bring_in(kOddPages, kThere);
  subject.read(kOddPages, 2 * kThere);
  return run_from(subject, kOddPages, 4 * window_pages_max) > 2 * kThere;
}

// A page read whole, and then the one behind the next.
bool is_previous_last_page(RulesSubject& subject, std::uint64_t window_pages_max) {
  subject.start_over();
  subject.read(kOddPages, 1);
  subject.read(kOddPages + 2, 1);
  return run_from(subject, kOddPages + 2, window_pages_max) == 1;
}

// A request of one window and a half inside a stream. Where the device takes it whole, the window after it is as large, or it is one window.
bool may_shrink(RulesSubject& subject, std::uint64_t window_pages_max) {
  subject.start_over();
  subject.read(kOddPages - 1, 1);
  subject.read(kOddPages, window_pages_max + window_pages_max / 2);
  return run_from(subject, kOddPages, 4 * window_pages_max) <=
         2 * window_pages_max + 3 * window_pages_max / 4;
}

// The mark that one stream left is met by another, with no page missing for a window behind it.
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
