// SPDX-License-Identifier: MIT
#include "libgray/src/memory/probe.hpp"

#include <algorithm>

#include "libgray/src/os/memory_os.hpp"

namespace gray::memory {
namespace {

constexpr std::uint64_t kBlockPages = 64;  // pages touched before their times are evaluated
// A swap-in reads 8 neighbouring pages together, so 3 slow pages lie within 24. A preempted thread has one slow page in thousands.
constexpr std::uint32_t kSlowPagesMin = 3;
constexpr std::uint64_t kSwapInPages = 8;  // one of these pages is tested for all of them
constexpr std::uint64_t kWindowAgainPages = 64;
// The kernel reclaims for a group once in 32 to 64 pages.
constexpr std::uint64_t kWindowFirstPages = 256;
constexpr std::uint64_t kSlowFirstMaxNs = 100'000'000;
constexpr std::uint64_t kSamplePages = 256;     // sample of the held pages at each step
constexpr std::uint64_t kStepShareOfHeld = 32;  // so that a step that goes too far costs only that share
// The share that is given up if more pages are gone than the steps of this process can have caused to be paged out.
constexpr std::uint64_t kSettleShareOfHeld = 16;
// A step takes at most this share of the free memory. So another growing process finds free memory at the same time.
constexpr std::uint64_t kStepShareOfRoom = 4;
constexpr std::uint32_t kTroublesMax = 4;              // so often trouble at the same bound is taken as true
constexpr std::uint32_t kTroublesMin = 3;              // fewer may mean that the thread lost its processor
constexpr std::uint64_t kStepShareOfBound = 4;         // for steps towards a bound that was trouble before
constexpr std::uint64_t kCertainShareOfHeld = 64;      // the bound need not be found more precisely
constexpr std::uint64_t kTroublePauseNs = 20'000'000;  // so that owners of paged-out memory can read it back
constexpr std::uint64_t kPagingMarginShare = 32;       // given back at the end, if paging showed the bound
constexpr int kWalksMax = 8;
constexpr int kFalseAlarmsMax = 2;
constexpr std::uint64_t kTakeBackPages = 128;
constexpr std::uint64_t kSwapNoiseBytes = 256 * base::kKiB;
constexpr std::uint64_t kRefaultNoisePages = 64;
constexpr std::uint64_t kStallShare = 20;  // a 20th of the step's time

// Detects several slow pages close together.
class SlowCluster {
 public:
  SlowCluster(std::uint64_t slow_ns, std::uint64_t window) : slow_ns_(slow_ns), window_(window) {}

  bool add(std::uint64_t place, std::uint64_t time_ns) {
    if (time_ns < slow_ns_) return false;
    places_[count_++ % kSlowPagesMin] = place;
    return count_ >= kSlowPagesMin && place - places_[count_ % kSlowPagesMin] < window_;
  }

 private:
  std::uint64_t slow_ns_;
  std::uint64_t window_;
  std::uint64_t count_ = 0;
  std::uint64_t places_[kSlowPagesMin] = {};
};

}  // namespace

Probe::Probe(unsigned char* base, std::uint64_t reserved_bytes, const ProbeOptions& options, ProbeWatch watch)
    : base_(base),
      page_bytes_(os::memory_page_bytes()),
      options_(options),
      watch_(std::move(watch)),
      times_ns_(std::max(kBlockPages, kSamplePages)) {
  reserved_pages_ = reserved_bytes / page_bytes_;
  step_pages_ = first_pages();
}

// When time is the only signal, a page must not be all zero. Since 6.12 Linux does not write such pages to swap, and brings them back without a
// device.
void Probe::touch(std::uint64_t first_page, std::uint64_t count, std::uint64_t stride) {
  os::touch_pages(base_, {first_page, count, stride, static_cast<unsigned char>(is_time_alone() ? 1 : 0)},
                  times_ns_.data());
  touches_ += count;
}

// Granted memory reads as zero.
void Probe::clear() {
  for (std::uint64_t page = 0; page < held_pages_; page += kBlockPages) {
    const std::uint64_t part = std::min(kBlockPages, held_pages_ - page);
    os::touch_pages(base_, {page, part, 1, 0}, times_ns_.data());
    touches_ += part;
  }
}

void Probe::remember() {
  // The counters at the end of the last step are those at the start of the next step.
  if (watch_.counters && has(kSignalRefaults)) {
    counters_before_ = has_counters_after_ ? counters_after_ : watch_.counters();
    has_counters_after_ = false;
  }
  faults_before_ = os::count_major_faults();
  time_before_ns_ = os::now_ns();
}

std::uint64_t Probe::next_step_pages(std::uint64_t want_pages, std::uint64_t allowed_pages) const {
  const std::uint64_t first = first_pages();
  std::uint64_t pages = step_pages_;
  // When no account shows how much memory is free, a step that goes too far must not cost much of the held memory.
  const bool is_end_known = has(kSignalAccounts) && watch_.allowance;
  if (!is_end_known) pages = std::min(pages, std::max(first, held_pages_ / kStepShareOfHeld));
  const std::uint64_t room = allowed_pages - held_pages_;
  pages = std::min(pages, std::max(first, room / kStepShareOfRoom));
  if (bound_troubles_ > 0) {
    const std::uint64_t distance = bound_pages_ - std::min(bound_pages_, held_pages_);
    pages = std::min(pages, std::max(first, distance / kStepShareOfBound));
  }
  return std::min({pages, room, want_pages - held_pages_});
}

// Writes to every stride-th of this many pages. Stops at the first cluster of slow pages and returns true.
bool Probe::pass(std::uint64_t first_page, std::uint64_t pages, std::uint64_t stride, const SlowBound& bound,
                 std::uint64_t& done_pages) {
  SlowCluster cluster(bound.slow_ns, bound.window_pages);
  for (done_pages = 0; done_pages < pages;) {
    const std::uint64_t part = std::min(kBlockPages, (pages - done_pages + stride - 1) / stride);
    touch(first_page + done_pages, part, stride);
    bool is_hit = false;
    for (std::uint64_t i = 0; i < part; ++i)
      is_hit = cluster.add(done_pages + i * stride, times_ns_[i]) || is_hit;
    done_pages = std::min(pages, done_pages + part * stride);
    if (is_hit) return true;
  }
  return false;
}

bool Probe::is_sample_slow() {
  const std::uint64_t count = std::min(kSamplePages, held_pages_);
  if (count == 0) return false;
  const std::uint64_t stride = held_pages_ / count;
  const std::uint64_t first = sample_turn_++ * 7919 % stride;  // a prime, so that the turns fall on all pages
  touch(first, count, stride);
  const auto slow = std::count_if(times_ns_.begin(), times_ns_.begin() + static_cast<std::ptrdiff_t>(count),
                                  [&](std::uint32_t time_ns) { return time_ns >= bounds_.in_ns; });
  return slow >= std::ptrdiff_t{2} * kSlowPagesMin;
}

// Takes one step in two passes. done_pages is the number of pages that the first pass took. It may be less than `pages`.
Probe::Look Probe::take(std::uint64_t pages, std::uint64_t& done_pages) {
  Look look;
  look.is_suspicious = pass(held_pages_, pages, 1, {bounds_.out_ns, kWindowFirstPages}, done_pages);
  dirty_pages_ = std::max(dirty_pages_, held_pages_ + done_pages);
  std::uint64_t again_pages = 0;
  const std::uint64_t stride = has(kSignalFaults) ? kSwapInPages : 1;
  look.is_slow = pass(held_pages_, done_pages, stride, {bounds_.in_ns, kWindowAgainPages}, again_pages);
  look.is_slow = is_sample_slow() || look.is_slow;
  return look;
}

// Whether a signal other than time shows that memory is being taken from a process.
bool Probe::is_paging_told(std::uint64_t pages, bool is_slow) {
  const std::uint64_t elapsed_us = (os::now_ns() - time_before_ns_) / 1000;
  bool is_told = has(kSignalFaults) && os::count_major_faults() >= faults_before_ + kSlowPagesMin;
  if (has(kSignalFaults) && is_slow && !is_told && held_pages_ > 0) {
    const std::uint64_t count = std::min(kSamplePages, held_pages_);
    is_told = os::count_swapped(base_, 0, count, held_pages_ / count).value_or(0) > 0;
  }
  if (!watch_.counters || !has(kSignalRefaults)) return is_told;
  const PagingCounters now = watch_.counters();
  const PagingCounters& then = counters_before_;
  counters_after_ = now;
  has_counters_after_ = true;
  // The host's counters also change because of other processes. So they only confirm a slow step, and raise no alarm alone.
  if (now.is_of_host && !is_slow) return is_told;
  is_told = is_told || now.swapped_bytes > then.swapped_bytes + kSwapNoiseBytes;
  is_told = is_told || now.refaults_anonymous > then.refaults_anonymous + kRefaultNoisePages;
  const std::uint64_t file_share = options_.cache == CachePolicy::keep ? 16 : 4;
  if (options_.cache != CachePolicy::steal && !options_.has_files && !now.is_of_host)
    is_told = is_told || now.refaults_file > then.refaults_file + kRefaultNoisePages + pages / file_share;
  if (has(kSignalStall) && now.has_stall && is_slow)
    is_told = is_told || now.stall_us > then.stall_us + elapsed_us / kStallShare;
  return is_told;
}

bool Probe::is_trouble(const Look& look, std::uint64_t pages) {
  // When time is the only signal, the first suspicion counts. With each page beyond the limit the kernel may find no page to page out, and may
  // kill a process.
  if (is_time_alone()) return look.is_slow || look.is_suspicious;
  return is_paging_told(pages, look.is_slow);
}

// Gives back all touched memory behind the first `pages` pages; the addresses stay reserved.
void Probe::drop_pages(std::uint64_t pages) {
  if (dirty_pages_ <= pages) return;
  os::drop_memory(base_ + pages * page_bytes_, (dirty_pages_ - pages) * page_bytes_);
  dirty_pages_ = pages;
}

void Probe::shrink(std::uint64_t bytes) {
  held_pages_ = std::min(held_pages_, (bytes + page_bytes_ - 1) / page_bytes_);
  drop_pages(held_pages_);
}

// Touches pages that should be in memory, and returns how many were gone. Gone pages come in groups, because swap is read in groups. A single fault, or a thread that lost its
// processor, does not count.
std::uint64_t Probe::bring_back(std::uint64_t first_page, std::uint64_t pages) {
  const std::uint64_t faults = os::count_major_faults();
  touch(first_page, pages, 1);
  const auto at_least = [&](std::uint64_t bound_ns) {
    const auto end = times_ns_.begin() + static_cast<std::ptrdiff_t>(pages);
    return static_cast<std::uint64_t>(
        std::count_if(times_ns_.begin(), end, [=](std::uint32_t time_ns) { return time_ns >= bound_ns; }));
  };
  const bool is_fetched =
      has(kSignalFaults) ? os::count_major_faults() > faults : at_least(bounds_.in_ns) > 0;
  const std::uint64_t gone_pages = is_fetched ? at_least(bounds_.fault_ns) : 0;
  return gone_pages >= kSlowPagesMin ? gone_pages : 0;
}

// After trouble all kept pages must be in memory. So all pages are touched again and again until none was paged out. For each page that was paged out, one page
// is given up. Memory that all processes hold beyond the real memory lies in swap. When a page is brought back, another page is paged out, so the sum stays the
// same. When a page is given up, the sum becomes smaller. When no page is gone any more, the excess has been given up. If more pages are gone than the steps of
// this process can have caused to be paged out, another process has grown, and pages are given up faster.
std::uint64_t Probe::settle() {
  bool is_whole = false;
  std::uint64_t all_gone_pages = 0;
  for (int walk = 0; walk < kWalksMax && !is_whole && held_pages_ > 0; ++walk) {
    is_whole = true;
    std::uint64_t gone_pages = 0;
    for (std::uint64_t page = 0; page < held_pages_; page += kBlockPages) {
      const std::uint64_t gone = bring_back(page, std::min(kBlockPages, held_pages_ - page));
      if (gone == 0) continue;
      is_whole = false;
      gone_pages += gone;
      all_gone_pages += gone;
      std::uint64_t less_pages = gone;
      if (gone_pages > kTroublesMax * std::max(first_pages(), held_pages_ / kStepShareOfHeld)) {
        less_pages = std::max(gone, held_pages_ / kSettleShareOfHeld);
        gone_pages = 0;
      }
      held_pages_ -= std::min(held_pages_, less_pages);
      drop_pages(held_pages_);
    }
  }
  return all_gone_pages;
}

// Grows to `goal_pages` in short steps, as long as there is no trouble. The kernel pages out more than it needs, and some of the gone pages came back into
// memory that a step had given back. So a part of the memory given up in settle() is free.
void Probe::take_back(std::uint64_t goal_pages) {
  while (held_pages_ < goal_pages) {
    const std::uint64_t pages = std::min(kTakeBackPages, goal_pages - held_pages_);
    std::uint64_t done_pages = 0;
    remember();
    has_counters_after_ = false;
    if (is_trouble(take(pages, done_pages), pages)) break;
    held_pages_ += done_pages;
  }
  drop_pages(held_pages_);
}

// Gives back a step that caused trouble. The trouble may begin before the end of that step. So the bound is approached in shorter steps from now on, which take
// less memory from other processes.
ProbeEnd Probe::end_of_trouble(std::uint64_t pages) {
  ++troubles_;
  ++bound_troubles_;
  bound_pages_ = held_pages_ + pages;
  const bool is_near = pages <= std::max(first_pages(), held_pages_ / kCertainShareOfHeld);
  drop_pages(held_pages_);
  step_pages_ = first_pages();
  os::pause_ns(bound_troubles_ * kTroublePauseNs);
  has_counters_after_ = false;  // changes during the pause are not caused by the next step
  const bool is_certain = is_near && bound_troubles_ >= kTroublesMin;
  return is_certain || bound_troubles_ >= kTroublesMax ? ProbeEnd::paging : ProbeEnd::reached;
}

// Continues in steps until the goal is reached, the allowance is used up, or paging is certain.
ProbeEnd Probe::climb(std::uint64_t want_pages) {
  const std::uint64_t max_pages = std::max<std::uint64_t>(1, options_.step_max_bytes / page_bytes_);
  ProbeEnd end = ProbeEnd::reached;
  remember();
  while (held_pages_ < want_pages && end == ProbeEnd::reached) {
    const std::uint64_t allowed_pages =
        watch_.allowance ? watch_.allowance(held_bytes()) / page_bytes_ : want_pages;
    if (allowed_pages <= held_pages_) {
      end = ProbeEnd::forbidden;
      held_pages_ = allowed_pages;
      break;
    }
    if (bounds_.in_ns == 0) {
      if (options_.times.fresh_ns == 0) time_touches(options_.times);
      bounds_ = bounds_of(options_.times);
    }
    const std::uint64_t pages = next_step_pages(want_pages, allowed_pages);
    std::uint64_t done_pages = 0;
    const Look look = take(pages, done_pages);
    if (is_trouble(look, pages)) {
      end = end_of_trouble(pages);
    } else {
      held_pages_ += done_pages;
      // The pages were not slow because of paging. A hypervisor had to find the memory first. The bound for the next alarm is raised. Otherwise every few pages
      // of a large grant would end a step and cause all its checks.
      if (look.is_suspicious) bounds_.out_ns = std::min(2 * bounds_.out_ns, kSlowFirstMaxNs);
      if (!look.is_suspicious) step_pages_ = std::min(2 * step_pages_, max_pages);
      // The bound must be passed by some distance: the pages right behind it are fast if earlier steps have freed memory
      // for them.
      if (held_pages_ >= bound_pages_ + held_pages_ / kStepShareOfHeld) bound_troubles_ = 0;
    }
    remember();
  }
  if (end != ProbeEnd::reached) drop_pages(held_pages_);
  return end;
}

ProbeEnd Probe::grow(std::uint64_t want_bytes) {
  const std::uint64_t want_pages = std::min((want_bytes + page_bytes_ - 1) / page_bytes_, reserved_pages_);
  ProbeEnd end = climb(want_pages);
  std::uint64_t most_pages = held_pages_;
  std::uint64_t gone_pages = troubles_ > 0 ? settle() : 0;
  // A busy processor or hypervisor also makes fresh pages slow, but takes no page of this process. A kernel that takes only pages of other processes looks the same, so this is
  // not repeated often.
  for (int i = 0; i < kFalseAlarmsMax && is_time_alone() && end == ProbeEnd::paging && gone_pages == 0; ++i) {
    bound_troubles_ = 0;
    end = climb(want_pages);
    most_pages = held_pages_;
    gone_pages = settle();
  }
  if (end == ProbeEnd::paging) {
    take_back(most_pages);
    shrink(held_bytes() - held_bytes() / kPagingMarginShare);
    for (std::uint64_t page = 0; page < held_pages_; page += kBlockPages)
      bring_back(page, std::min(kBlockPages, held_pages_ - page));
  }
  if (is_time_alone()) clear();
  return end;
}

}  // namespace gray::memory
