// SPDX-License-Identifier: MIT
#include "tools/heapnice/java_lever.hpp"

#include <algorithm>

#include "libgray/src/os/memory_os.hpp"
#include "toolbox/base/units.hpp"

namespace heapnice {
namespace {

// The target size of a heap is lower than the goal by this share of the goal: promotion makes the heap grow before the next collection, and each
// ordered collection costs time.
constexpr std::uint64_t kBelowShare = 16;
constexpr std::uint64_t kRestsPerCollection =
    6;  // ordered collections take at most a seventh of the time, except when room is lacking
constexpr std::uint64_t kRestMinNs = gray::base::kNanosecondsPerSecond / 2;
constexpr unsigned kRatioStep = 2;  // percent; a smaller change is not worth making

unsigned difference(unsigned a, unsigned b) {
  return std::max(a, b) - std::min(a, b);
}

}  // namespace

unsigned free_ratio(std::uint64_t live_bytes, std::uint64_t goal_bytes, double old_share) {
  const double old_bytes = static_cast<double>(goal_bytes) * old_share;
  if (old_bytes <= static_cast<double>(live_bytes)) return 0;
  return static_cast<unsigned>(100 * (1 - static_cast<double>(live_bytes) / old_bytes));
}

std::string JavaLever::obstacle() const {
  if (flags_.collector == Collector::parallel || flags_.collector == Collector::unknown)
    return std::string("its collector (") + name_of(flags_.collector) +
           ") gives nothing back while it runs; Serial, G1, ZGC and Shenandoah do";
  const bool has_soft_max = flags_.collector == Collector::z || flags_.collector == Collector::shenandoah;
  if (has_soft_max ? !flags_.is_soft_max_manageable : !flags_.are_ratios_manageable)
    return "this release has no flag for it that can be moved";
  if (flags_.is_explicit_disabled) return "-XX:+DisableExplicitGC keeps it from collecting when asked";
  return "";
}

int JavaLever::set_flag(const char* name, std::uint64_t value) {
  std::string answer;
  return attach_.ask("setflag", name, std::to_string(value), answer);
}

// The least ratio must never be above the largest ratio, so the order of the two changes matters.
int JavaLever::set_ratios(unsigned least, unsigned most) {
  if (difference(least, least_ratio_) < kRatioStep && difference(most, most_ratio_) < kRatioStep) return 0;
  const bool is_most_first = most > most_ratio_;
  for (const bool is_most : {is_most_first, !is_most_first}) {
    const int error = is_most ? set_flag("MaxHeapFreeRatio", most) : set_flag("MinHeapFreeRatio", least);
    if (error != 0) return error;
  }
  least_ratio_ = least;
  most_ratio_ = most;
  return 0;
}

bool JavaLever::may_order(bool is_urgent) {
  const std::uint64_t now_ns = gray::os::now_ns();
  if (is_ordered_ && !attach_.is_busy()) {
    is_ordered_ = false;
    const std::uint64_t took_ns = now_ns - ordered_ns_;
    urgent_rest_until_ns_ = now_ns + std::min(kRestMinNs, took_ns);
    rest_until_ns_ = now_ns + std::max(kRestMinNs, kRestsPerCollection * took_ns);
  }
  return !is_ordered_ && now_ns >= (is_urgent ? urgent_rest_until_ns_ : rest_until_ns_);
}

int JavaLever::order_collection() {
  is_ordered_ = true;
  ordered_ns_ = gray::os::now_ns();
  ++ordered_;
  return attach_.start("jcmd", "GC.run");
}

int JavaLever::move(std::uint64_t goal_bytes, const JavaHeap& heap, std::uint64_t live_bytes,
                    bool is_urgent) {
  // The live data and the other generation may need more than the goal. Then collecting again would not help.
  const auto smallest_bytes = static_cast<std::uint64_t>(static_cast<double>(live_bytes) / flags_.old_share);
  const bool is_over =
      heap.committed_bytes > std::max(goal_bytes, smallest_bytes + smallest_bytes / kBelowShare);
  const std::uint64_t aim_bytes = goal_bytes - goal_bytes / kBelowShare;
  if (flags_.is_soft_max_manageable && soft_max_bytes_ != goal_bytes) {
    if (const int error = set_flag("SoftMaxHeapSize", goal_bytes); error != 0) return error;
    soft_max_bytes_ = goal_bytes;
    rest_until_ns_ = std::max(rest_until_ns_, gray::os::now_ns() + (is_over ? 0 : kRestMinNs));
  }
  if (flags_.collector == Collector::serial) {
    const unsigned ratio = free_ratio(live_bytes, aim_bytes, flags_.old_share);
    if (const int error = set_ratios(ratio, ratio); error != 0) return error;
  } else if (flags_.collector == Collector::g1) {
    // At the end of a marking garbage counts as used. So a least ratio that fits the live data would let the heap grow beyond its goal.
    const unsigned ratio = free_ratio(live_bytes, aim_bytes, 1);
    const bool is_room = heap.committed_bytes < aim_bytes;
    const unsigned least = is_room ? std::min(ratio, free_ratio(heap.used_bytes, aim_bytes, 1)) : 0;
    if (const int error = set_ratios(least, std::max(ratio, least)); error != 0) return error;
  }
  return is_over && may_order(is_urgent) ? order_collection() : 0;
}

}  // namespace heapnice
