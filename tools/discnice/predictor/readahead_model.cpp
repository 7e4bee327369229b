// SPDX-License-Identifier: MIT
#include "tools/discnice/predictor/readahead_model.hpp"

#include "tools/discnice/contract/io_op.hpp"
#include "tools/discnice/predictor/fetched_pages.hpp"
#include "tools/discnice/predictor/page_cursor.hpp"

namespace discnice::predictor {
namespace {

constexpr std::uint32_t kOrderMax =
    31;  // keeps the shift below defined; the device's limit bounds it earlier
constexpr std::uint32_t kFolioOrderStep = 2;     // each asynchronous window aims at folios two orders larger
constexpr std::uint64_t kOldFolioWindowMin = 4;  // up to 6.16 a smaller window is made of single pages

// In a more fragmented range the rest keeps the folios that it had, and its markers are checked one by one.
constexpr int kRunsMax = 4;

// Only this many pages of a longer range are searched for markers. The kernel moves no more in one call.
constexpr std::uint64_t kMarkedPagesMax = UINT64_C(1) << 19U;

std::uint64_t smaller(std::uint64_t a, std::uint64_t b) {
  return a < b ? a : b;
}

// The window of one open file during one read. It is a class only because there are many values to pass. An object is
// for one call.
class Walk {
 public:
  Walk(ReadaheadState& state, Belief& belief, const ReadaheadLimits& limits, const PageRange& range,
       CacheShape& shape, const ResidencyOracle& oracle, std::uint64_t now_ns)
      : state_(state),
        belief_(belief),
        limits_(limits),
        range_(range),
        shape_(shape),
        fetched_(oracle),
        now_ns_(now_ns) {}

  std::uint64_t run() {
    std::uint64_t page = range_.first_page;
    fetch_ahead_in_mid_folio(page);
    const std::uint64_t end = smaller(range_.end_page, range_.file_pages);
    while (page < end) {
      if (!belief_.covers(page, now_ns_)) look_at(page);
      if (!belief_.covers(page, now_ns_)) fetch_for_miss(page);
      const std::uint64_t known_end = smaller(belief_.end_page, end);
      const std::uint64_t marker = first_marker(page, known_end);
      if (marker != UINT64_MAX && is_gone(marker)) {
        doubt(marker);
        page = marker;
        continue;
      }
      if (marker != UINT64_MAX) {
        fetch_ahead(marker);
        page = marker;  // the window has moved on: the same page is looked at again, without the marker
        continue;
      }
      page = known_end;
    }
    return fetched_pages_;
  }

 private:
  // The largest window that a request of this many pages may open.
  [[nodiscard]] std::uint64_t window_pages_max(std::uint64_t request_pages) const {
    const std::uint64_t window = limits_.window_pages_max;
    if (request_pages > window && limits_.request_pages_max > window) {
      return smaller(request_pages, limits_.request_pages_max);
    }
    return window;
  }

  static std::uint64_t first_window_pages(std::uint64_t request_pages, std::uint64_t max) {
    std::uint64_t size = 1;
    while (size < request_pages) size *= 2;
    if (size <= max / 32) return size * 4;
    if (size <= max / 4) return size * 2;
    return max;
  }

  static std::uint64_t next_window_pages(std::uint64_t size, std::uint64_t max) {
    if (size < max / 16) return size * 4;
    if (size <= max / 2) return size * 2;
    return max;
  }

  // The first marked page in [first_page, end_page), or UINT64_MAX.
  [[nodiscard]] std::uint64_t first_marker(std::uint64_t first_page, std::uint64_t end_page) const {
    const std::uint64_t end = smaller(end_page, first_page + kMarkedPagesMax);
    for (std::uint64_t page = first_page; page < end; ++page) {
      if (shape_.markers.has(range_.file, page)) return page;
    }
    return UINT64_MAX;
  }

  // A marker belongs to its whole folio, so a read that starts further back in the folio uses it, too.
  void fetch_ahead_in_mid_folio(std::uint64_t page) {
    const std::uint64_t head = shape_.folios.head_of(range_.file, page);
    if (head == page || page >= range_.file_pages || !shape_.markers.has(range_.file, head)) return;
    if (count_absent(oracle_, page, 1) == 0) fetch_ahead(head);
  }

  void look_at(std::uint64_t page) {
    const std::uint64_t left = range_.file_pages - page;
    const std::uint64_t wanted = range_.end_page > page ? range_.end_page - page : 1;
    const std::uint64_t reach = oracle_.is_exact() ? next_reach(belief_, page, wanted) : left;
    const std::uint64_t run = resident_run(oracle_, page, smaller(left, reach));
    if (run > 0) believe(belief_, page, page + run, now_ns_);
  }

  // Counts the absent pages of a window as fetched. All pages of the window count as resident from now on.
  void fetch(std::uint64_t first_page, std::uint64_t page_count) {
    const std::uint64_t end = smaller(first_page + page_count, range_.file_pages);
    if (first_page >= end) return;
    const std::uint64_t absent_pages = count_absent(oracle_, first_page, end - first_page);
    fetched_pages_ += absent_pages;
    forget(first_page, end, absent_pages);
    fetched_.add(first_page, end);
    believe(belief_, first_page, end, now_ns_);
  }

  // The absent pages of a range are fetched anew, so the facts about earlier pages at the same places are out of date.
  void forget(std::uint64_t page, std::uint64_t end, std::uint64_t absent_pages) {
    end = smaller(end, page + kMarkedPagesMax);
    for (int i = 0; i < kRunsMax && page < end && absent_pages > 0; ++i) {
      std::uint64_t absent_end = end;
      if (absent_pages < end - page) absent_end = page + absent_run(oracle_, page, end - page);
      absent_pages -= smaller(absent_pages, absent_end - page);
      if (limits_.folio_order_max > 0) shape_.folios.make_single(range_.file, page, absent_end);
      for (; page < absent_end; ++page) shape_.markers.remove(range_.file, page);
      if (page < end && absent_pages > 0) page += resident_run(oracle_, page, end - page);
    }
    if (absent_pages == 0) return;
    for (; page < end; ++page) {
      if (shape_.markers.has(range_.file, page) && count_absent(oracle_, page, 1) == 1)
        shape_.markers.remove(range_.file, page);
    }
  }

  // Whether a page that counted as resident is absent. The kernel may evict idle pages while an answer is still valid, and a window is large
  // enough to ask again. Pages of this very operation are not asked about: the oracle was just asked about such a page, or the page will be
  // fetched and is still absent.
  [[nodiscard]] bool is_gone(std::uint64_t page) const {
    const bool is_older = belief_.expires_ns < now_ns_ + kBeliefLeaseNs;
    return is_older && oracle_.is_exact() && count_absent(oracle_, page, 1) == 1;
  }

  // A marked page that counted as resident was evicted, and its marker is gone, too.
  void doubt(std::uint64_t marker) {
    shape_.markers.remove(range_.file, marker);
    belief_.end_page = marker;
  }

  // page_cache_sync_ra(): a page the program wants is absent.
  void fetch_for_miss(std::uint64_t page) {
    const std::uint64_t request = range_.end_page - page;
    if (limits_.window_pages_max == 0) return fetch(page, 1);  // no read-ahead: single pages
    if (state_.is_random) return fetch(page, request);
    const std::uint64_t max = window_pages_max(request);
    const std::uint64_t distance = page - previous_page(page);  // wraps around on purpose, as in the kernel
    if (follows(gray::base::kMissGoesOn) && page != 0 &&
        (page == expected_marker() || page == window_end())) {
      go_on(page, max);
    } else if (page == 0 || request > max || distance <= 1) {
      state_.start_page = page;
      state_.size_pages = first_window_pages(request, max);
      state_.ahead_pages = state_.size_pages > request ? state_.size_pages - request : state_.size_pages / 2;
    } else if (!open_window_from_history(page, request, max)) {
      return fetch(page, request);  // a random read: only the wanted pages; the window stays as it is
    }
    state_.order = has_old_folios() ? kFolioOrderStep : 0;
    submit();
    if (!belief_.covers(page, now_ns_)) fetch(page, 1);  // the window may begin behind the page
  }

  [[nodiscard]] bool follows(gray::base::ReadaheadRules rule) const { return (limits_.rules & rule) != 0; }

  // Up to 6.16, on file systems that make large folios: a window aims at folios two orders larger than the folio whose marker was reached. The
  // first window aims at folios of four pages.
  [[nodiscard]] bool has_old_folios() const {
    return limits_.folio_order_max > 0 && follows(gray::base::kWindowEndsAnywhere);
  }

  // The page after which `page` continues the reading.
  [[nodiscard]] std::uint64_t previous_page(std::uint64_t page) const {
    if (follows(gray::base::kPreviousByPage) && page > range_.first_page) return page;
    return (state_.previous_end_bytes - (follows(gray::base::kPreviousIsLastPage) ? 1 : 0)) >> 12U;
  }

  [[nodiscard]] std::uint64_t window_end() const { return state_.start_page + state_.size_pages; }
  [[nodiscard]] std::uint64_t expected_marker() const { return window_end() - state_.ahead_pages; }

  // Opens the next window, because the reader has reached it at `page`.
  void go_on(std::uint64_t page, std::uint64_t max) {
    state_.start_page += state_.size_pages;
    const std::uint64_t next = next_window_pages(state_.size_pages, max);
    const bool is_kept = state_.size_pages > next && !follows(gray::base::kWindowMayShrink);
    if (!is_kept) state_.size_pages = next;
    align_window_end(max);
    state_.ahead_pages = state_.size_pages;
    if (follows(gray::base::kMissGoesOn) && page == state_.start_page) join_next_window(max);
  }

  // When the marker of the new window lies at its beginning, the reader reaches it at once. So the window after the new window is
  // fetched as well.
  void join_next_window(std::uint64_t max) {
    const std::uint64_t next = next_window_pages(state_.size_pages, max);
    const bool fits = state_.size_pages + next <= max;
    state_.size_pages = fits ? state_.size_pages + next : max;
    state_.ahead_pages = fits ? next : max / 2;
  }

  // Context read-ahead: a miss right behind a long cached run continues a sequential read.
  bool open_window_from_history(std::uint64_t page, std::uint64_t request, std::uint64_t max) {
    if (!oracle_.is_exact()) return false;
    const std::uint64_t miss = PageCursor(range_.file, shape_.folios, oracle_).previous_miss(page - 1, max);
    std::uint64_t history =
        page - miss - 1;  // wraps around on purpose when all pages back to page 0 are resident
    if (history <= request) return false;
    if (history >= page) history *= 2;
    state_.start_page = page;
    state_.size_pages = smaller(history + request, max);
    state_.ahead_pages = 1;
    return true;
  }

  // page_cache_async_ra(): the program has reached the marked page, and the next window is fetched while the program works.
  void fetch_ahead(std::uint64_t marker) {
    shape_.markers.remove(range_.file, marker);
    if (state_.unused_markers > 0) --state_.unused_markers;
    const std::uint64_t request = range_.end_page - marker;
    const std::uint64_t max = window_pages_max(request);
    if (limits_.window_pages_max == 0) return;
    const std::uint64_t folio_pages = shape_.folios.pages_at(range_.file, marker);
    if (has_old_folios())
      state_.order = static_cast<std::uint32_t>(__builtin_ctzll(folio_pages)) + kFolioOrderStep;
    const bool is_at_end = follows(gray::base::kMissGoesOn) && marker == window_end();
    if (is_at_end || marker == expected_marker() / folio_pages * folio_pages) {
      go_on(marker, max);
    } else {
      // The marker belongs to another window or another descriptor. The size then follows from the cached pages behind it.
      std::uint64_t run = run_behind(marker, max);
      if (run > max && follows(gray::base::kLastIsMissing)) run = max;
      if (run > max) return;
      state_.start_page = marker + run;
      state_.size_pages = next_window_pages(run + request, max);
      align_window_end(max);
      state_.ahead_pages = state_.size_pages;
    }
    submit();
  }

  // The distance from a marker to the first absent page; more than `max` when no page within that distance is absent.
  [[nodiscard]] std::uint64_t run_behind(std::uint64_t marker, std::uint64_t max) const {
    if (oracle_.is_exact()) {
      return PageCursor(range_.file, shape_.folios, oracle_).next_miss(marker + 1, max) - marker;
    }
    std::uint64_t run = 1;
    while (run <= max) {
      const std::uint64_t asked = smaller(max + 1 - run, kRegionPages);
      const std::uint64_t found = resident_run(oracle_, marker + run, asked);
      run += found;
      if (found < asked) break;
    }
    return run;
  }

  // With large folios the window ends on a boundary of the folio size that it aims at.
  void align_window_end(std::uint64_t max) {
    if (follows(gray::base::kWindowEndsAnywhere)) return;
    state_.order += kFolioOrderStep;
    if (state_.order > kOrderMax) state_.order = kOrderMax;
    std::uint32_t order = 0;
    while (order < state_.order && (max & (UINT64_C(1) << order)) == 0) ++order;
    const std::uint64_t unit = UINT64_C(1) << order;
    const std::uint64_t end = (state_.start_page + state_.size_pages) / unit * unit;
    if (end > state_.start_page) state_.size_pages = end - state_.start_page;
  }

  // page_cache_ra_order(): the window comes in as folios of the wanted order, up to the first page that is already there. The rest is fetched as
  // single pages. Up to 6.16 this rest is as long as the whole window and extends beyond the window.
  void submit() {
    const bool is_single = has_old_folios() && state_.size_pages < kOldFolioWindowMin;
    state_.order = lesser_order(state_.order, is_single ? 0 : limits_.folio_order_max, state_.size_pages);
    const bool may_join = limits_.folio_order_max > 0 && !is_single;
    const std::uint64_t start = state_.start_page;
    const std::uint64_t end = smaller(start + state_.size_pages, range_.file_pages);
    if (start >= end) return;
    std::uint64_t laid_end = start;
    if (may_join)
      laid_end = end_of_folios(start, end,
                               oracle_.is_exact() ? start + absent_run(oracle_, start, end - start) : end);
    const std::uint64_t beyond = has_old_folios() && laid_end < end ? laid_end - start : 0;
    const std::uint64_t all_pages = state_.size_pages + beyond;
    const std::uint64_t all_end = smaller(start + all_pages, range_.file_pages);
    const std::uint64_t folio_mark = start + state_.size_pages - state_.ahead_pages;
    // A window of single pages that extends beyond the end of the file is cut at the end of the file, and its
    // marker moves accordingly.
    std::uint64_t mark = folio_mark + beyond;
    if (start + all_pages > all_end)
      mark = all_end - laid_end >= state_.ahead_pages ? all_end - state_.ahead_pages : all_end;
    const bool is_mark_set = laid_end < end && state_.ahead_pages > 0 && mark >= laid_end && mark < all_end &&
                             count_absent(oracle_, mark, 1) == 1;
    fetch(start, all_pages);
    lay_folios(start, end, laid_end, folio_mark);
    if (is_mark_set) leave_marker(mark);
  }

  static std::uint32_t lesser_order(std::uint32_t order, std::uint32_t order_max, std::uint64_t size_pages) {
    if (order > order_max) order = order_max;
    while (order > 0 && (size_pages >> order) == 0) --order;
    return order;
  }

  // The order of the folio that begins at `page` in a window that ends at `end`. Folios of two pages exist since 6.9.
  [[nodiscard]] std::uint32_t folio_order(std::uint64_t page, std::uint64_t end) const {
    std::uint32_t order = state_.order;
    while (order > 0 && page % (UINT64_C(1) << order) != 0) --order;
    while (order > 0 && page + (UINT64_C(1) << order) > end) --order;
    return order == 1 && follows(gray::base::kMissGoesOn) ? 0 : order;
  }

  // The end of the folios that are made, starting at `page`. The first folio that would touch a page that was there before is not
  // made.
  [[nodiscard]] std::uint64_t end_of_folios(std::uint64_t page, std::uint64_t end,
                                            std::uint64_t free_end) const {
    while (page < end) {
      const std::uint64_t next = page + (UINT64_C(1) << folio_order(page, end));
      if (next > free_end) return page;
      page = next;
    }
    return page;
  }

  void lay_folios(std::uint64_t page, std::uint64_t end, std::uint64_t laid_end, std::uint64_t mark) {
    while (page < laid_end) {
      const std::uint32_t order = folio_order(page, end);
      const std::uint64_t pages = UINT64_C(1) << order;
      if (order > 0) shape_.folios.make(range_.file, page, order);
      if (page == mark / pages * pages) leave_marker(page);
      page += pages;
    }
  }

  void leave_marker(std::uint64_t page) {
    shape_.markers.add(range_.file, page);
    ++state_.unused_markers;
  }

  ReadaheadState& state_;
  Belief& belief_;
  const ReadaheadLimits& limits_;
  const PageRange& range_;
  CacheShape& shape_;
  FetchedPages fetched_;
  const ResidencyOracle& oracle_ = fetched_.oracle();
  std::uint64_t now_ns_;
  std::uint64_t fetched_pages_ = 0;
};

static_assert(kPageBytes == UINT64_C(1) << 12U, "fetch_for_miss() turns bytes into pages by this shift");

}  // namespace

void advise(ReadaheadState& state, ReadaheadLimits& limits, const ReadaheadLimits& device_limits,
            Advice advice) {
  state.is_random = advice == Advice::random;
  if (advice == Advice::random) return;  // the window keeps its limit
  limits = device_limits;
  if (advice == Advice::sequential) limits.window_pages_max *= 2;
}

std::uint64_t predict_read_pages(ReadaheadState& state, Belief& belief, const ReadaheadLimits& limits,
                                 const PageRange& range, std::uint64_t end_bytes, CacheShape& shape,
                                 const ResidencyOracle& oracle, std::uint64_t now_ns) {
  const std::uint64_t pages = Walk(state, belief, limits, range, shape, oracle, now_ns).run();
  state.previous_end_bytes = end_bytes;
  return pages;
}

}  // namespace discnice::predictor
