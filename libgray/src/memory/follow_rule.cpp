// SPDX-License-Identifier: MIT
#include "libgray/src/memory/follow_rule.hpp"

#include <algorithm>

#include "toolbox/base/units.hpp"

namespace gray::memory {
namespace {

constexpr std::uint64_t kLiveSpareShare = 4;
constexpr std::uint64_t kSmallestHeapBytes = 4 * base::kMiB;  // a collector needs at least this to work
constexpr std::uint64_t kGrowthStepShare = 16;                // a smaller step is not worth a change
constexpr std::uint64_t kUnusedShare = 8;                     // of a heap that does not use its allowance
constexpr std::uint64_t kPagedShare = 128;                    // of the heap, paged in between two questions
constexpr std::uint64_t kFallDivisor = 4;
constexpr double kWaitingShareMax = 0.1;
constexpr double kSavedShareMin = 0.003;
constexpr std::uint64_t kPatienceFirstNs = 2'500'000'000;
constexpr std::uint64_t kPatienceLastNs = 120'000'000'000;
constexpr std::uint64_t kShrinkPauseNs =
    3'000'000'000;  // the program must follow the last advice before its effect can be seen
// Pressure this soon after growing counts as caused by the growth.
constexpr std::uint64_t kSwingPatiences = 8;

std::uint64_t bounded(const FollowLook& look, std::uint64_t bytes) {
  const std::uint64_t least = std::max(look.min_bytes, least_heap_bytes(look.live_bytes));
  return std::min(std::max(bytes, least), look.max_bytes);
}

FollowDecision told(FollowVerdict verdict, FollowReason reason, FollowState state, std::uint64_t bytes) {
  state.told_bytes = bytes;
  state.more_since_ns = 0;
  return {verdict, reason, state};
}

bool is_pressed(const FollowLook& look, const FollowState& state) {
  const bool is_soon = state.shrunk_ns != 0 && look.now_ns - state.shrunk_ns < kShrinkPauseNs;
  const bool is_tight = look.allowed_bytes < state.told_bytes + look.margin_bytes;
  const bool is_paged = look.paged_in_bytes > state.told_bytes / kPagedShare;
  return !is_soon && is_tight && is_paged && look.waiting_share > kWaitingShareMax;
}

// The share of the time that a larger heap saves. By the model in the header, collecting costs are proportional to 1 / (H - L).
double saved_share(double collecting_share, double live, double before, double after) {
  if (before <= live) return collecting_share;
  return after <= before ? 0 : collecting_share * (1 - (before - live) / (after - live));
}

FollowDecision shrunk(const FollowLook& look, FollowState state, FollowReason reason, std::uint64_t bytes) {
  const std::uint64_t patience_ns = std::max(state.patience_ns, kPatienceFirstNs);
  // Only pressure counts as a swing. The heap itself never makes its room smaller, because the heap's own memory counts as its room.
  const bool is_swing = reason == FollowReason::pressure && state.grown_ns != 0 &&
                        look.now_ns - state.grown_ns < kSwingPatiences * patience_ns;
  state.patience_ns = is_swing ? std::min(2 * patience_ns, kPatienceLastNs) : kPatienceFirstNs;
  state.shrunk_ns = look.now_ns;
  return told(FollowVerdict::shrink, reason, state, bytes);
}

// When the free memory falls fast, it continues to fall while the heap shrinks, and it is not known how far. Shrinking far costs no more than shrinking a
// little, and the heap soon grows back if it shrank too far.
std::uint64_t falling_on(const FollowLook& look, std::uint64_t fallen_bytes) {
  if (fallen_bytes < look.margin_bytes / 2) return look.allowed_bytes;
  const std::uint64_t least = std::min(bounded(look, 0), look.allowed_bytes);
  return std::min(least + (look.allowed_bytes - least) / kFallDivisor,
                  look.allowed_bytes - std::min(fallen_bytes, look.allowed_bytes));
}

// Waits until the additional room has lasted for some time, and decides whether growing saves time.
FollowDecision perhaps_grown(const FollowLook& look, FollowState state) {
  if (state.more_since_ns == 0) {
    state.more_since_ns = look.now_ns;
    state.more_bytes = look.allowed_bytes;
    state.collecting_share_highest = kShareUnknown;
  }
  state.more_bytes = std::min(state.more_bytes, look.allowed_bytes);
  state.collecting_share_highest = std::max(state.collecting_share_highest, look.collecting_share);
  const FollowDecision stays{FollowVerdict::stay, FollowReason::none, state};
  if (look.now_ns - state.more_since_ns < std::max(state.patience_ns, kPatienceFirstNs)) return stays;
  if (look.heap_bytes < state.told_bytes - state.told_bytes / kUnusedShare) return stays;
  const std::uint64_t bytes = bounded(look, state.more_bytes);
  if (state.collecting_share_highest != kShareUnknown) {
    const double saved = saved_share(state.collecting_share_highest, static_cast<double>(look.live_bytes),
                                     static_cast<double>(state.told_bytes), static_cast<double>(bytes));
    if (saved < kSavedShareMin || saved < look.waiting_share) return stays;
  }
  state.grown_ns = look.now_ns;
  return told(FollowVerdict::grow, FollowReason::room, state, bytes);
}

}  // namespace

std::uint64_t least_heap_bytes(std::uint64_t live_bytes) {
  const std::uint64_t spare = live_bytes / kLiveSpareShare;
  return std::max(live_bytes > ~std::uint64_t{0} - spare ? live_bytes : live_bytes + spare,
                  kSmallestHeapBytes);
}

FollowDecision decide(const FollowLook& look, FollowState state) {
  const std::uint64_t allowed = bounded(look, look.allowed_bytes);
  const std::uint64_t fallen = state.reach_bytes - std::min(state.reach_bytes, look.reach_bytes);
  state.reach_bytes = look.reach_bytes;
  if (state.told_bytes == 0) {
    const bool is_less = allowed < look.heap_bytes;
    if (is_less) state.shrunk_ns = look.now_ns;
    return told(is_less ? FollowVerdict::shrink : FollowVerdict::grow, FollowReason::first, state, allowed);
  }
  if (bounded(look, state.told_bytes) > state.told_bytes)
    return told(FollowVerdict::grow, FollowReason::live, state, bounded(look, state.told_bytes));
  if (allowed + look.margin_bytes / 2 < state.told_bytes)
    return shrunk(look, state, FollowReason::room, bounded(look, falling_on(look, fallen)));
  if (is_pressed(look, state)) {
    const std::uint64_t bytes =
        bounded(look, state.told_bytes - std::min(state.told_bytes, look.margin_bytes));
    if (bytes < state.told_bytes) return shrunk(look, state, FollowReason::pressure, bytes);
  }
  // Memory that the heap should give back and still holds does not count as room to grow.
  const std::uint64_t has_bytes = std::max(state.told_bytes, look.heap_bytes);
  if (allowed < has_bytes + std::max(has_bytes / kGrowthStepShare, look.margin_bytes)) {
    state.more_since_ns = 0;
    return {FollowVerdict::stay, FollowReason::none, state};
  }
  return perhaps_grown(look, state);
}

}  // namespace gray::memory
