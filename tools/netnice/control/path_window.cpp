// SPDX-License-Identifier: MIT
#include "tools/netnice/control/path_window.hpp"

#include <algorithm>

#include "toolbox/base/units.hpp"

namespace netnice {
namespace {

constexpr double kUsPerS = 1e6;
constexpr double kSegmentBytes = 1448;
// The bounds of the bytes that may lie in the queue. The bounds are absolute numbers of bytes. So the senders that share a path get equal parts.
// The bytes that a fast path sends within the grain of the round-trip clocks are added.
constexpr double kQueueLowBytes = 3 * kSegmentBytes;
constexpr double kQueueSpanBytes = 2 * kSegmentBytes;
// If the flow uses a smaller part of its window, the window does not limit the flow.
constexpr double kUsedPart = 0.7;
constexpr double kSlowStartFactor = 2;
constexpr double kStepPart = 0.2;
constexpr double kDrainPart = 0.5;
// Factor of the upper bound: below it, the window falls by half of the excess, and waits for one round only. So a sender soon leaves room to a later one.
constexpr double kLittle = 2;
// The effect of a step down on the queue takes one round trip to happen and one more to be seen.
constexpr int kWaitRounds = 2;
constexpr double kAlarm = 2;  // factor of the upper bound: above it, other senders use the path
// This part of a large window: the queue of such a window swings by so much without other senders.
constexpr double kSwingPart = 0.25;
// When other senders come, the window shrinks to this part of its size. A new sender needs more of the line with each round trip.
constexpr double kAlarmPart = 0.3;
constexpr double kForgetPart = 0.9;  // each step down multiplies the wanted window by this
// Factor of the base: a queue that makes a round trip longer than this is not the sender's own.
constexpr double kOwnFactor = 1.5;
constexpr double kTakeBackPart = 0.9;
constexpr double kLossPart = 0.75;
// A rate that followed each round trip at once would swing, because the rate's effect on the queue is seen one round trip later.
constexpr double kMeanRounds = 2;
constexpr double kQuickPart = 0.4;
constexpr double kQuickUpPart = 0.6;
constexpr double kDrainFactor = 1.5;
constexpr int kDrainRounds = 2;
constexpr std::uint64_t kDrainEveryNs = 3 * gray::base::kNanosecondsPerSecond;
// Now and then half of the window is taken away, because the whole queue may have been the sender's own queue from the start. The halving is repeated at once
// while the base gets shorter.
constexpr std::uint64_t kFirstDrainNs = gray::base::kNanosecondsPerSecond;
constexpr int kDeepDrainEvery = 4;
constexpr double kShorterPart = 0.95;

}  // namespace

void PathWindow::start(double window_bytes, double least_bytes) {
  least_bytes_ = least_bytes;
  window_bytes_ = std::max(window_bytes, least_bytes);
  step_bytes_ = kSegmentBytes;
  is_slow_start_ = true;
}

double PathWindow::window_bytes() const {
  return is_started() ? std::max(window_bytes_ - drain_bytes_, least_bytes_) : 0;
}

double PathWindow::rate_bytes_per_s() const {
  if (round_trip_us_ == 0) return 0;
  const double change = (round_trip_us_ - mean_round_trip_us_) / mean_round_trip_us_;
  return window_bytes() * kUsPerS / mean_round_trip_us_ /
         std::max(1 + (change > 0 ? kQuickUpPart : kQuickPart) * change, kQuickPart);
}

void PathWindow::see(const PathSight& sight) {
  moved_bytes_ += sight.moved_bytes;
  has_lost_ = has_lost_ || sight.has_lost;
  if (sight.round_trip_us != 0) {
    round_trip_us_ = sight.round_trip_us;
    const double since_us = static_cast<double>(sight.now_ns - seen_ns_) / 1e3;
    const double weight = std::min(since_us / (kMeanRounds * round_trip_us_), 1.0);
    if (seen_ns_ == 0) mean_round_trip_us_ = round_trip_us_;
    mean_round_trip_us_ += weight * (round_trip_us_ - mean_round_trip_us_);
    seen_ns_ = sight.now_ns;
    // As in Vegas, the shortest round trip of a round counts: a host that was busy for a moment is not a queue.
    if (least_round_trip_us_ == 0 || sight.round_trip_us < least_round_trip_us_)
      least_round_trip_us_ = sight.round_trip_us;
  }
  if (round_ns_ == 0) round_ns_ = sight.now_ns;
  if (sight.round_trip_us != 0 && sight.base_us != 0) heed_others(sight);
  if (drained_ns_ == 0) drained_ns_ = sight.now_ns - (kDrainEveryNs - kFirstDrainNs);
  if (least_round_trip_us_ == 0 || sight.now_ns - round_ns_ < std::uint64_t{round_trip_us_} * 1000) return;
  end_round(sight);
  start_round(sight.now_ns);
}

// Other senders have come: the window falls before the round ends. Two long round trips are needed, because one of them may come from a host that was busy for a moment.
void PathWindow::heed_others(const PathSight& sight) {
  const std::uint32_t sure_us = std::min(sight.round_trip_us, last_round_trip_us_);
  last_round_trip_us_ = sight.round_trip_us;
  if (is_slow_start_ || drain_rounds_ > 0 || sure_us <= sight.base_us) return;
  const double base_part = static_cast<double>(sight.base_us) / sure_us;
  const double alarm_bytes = std::max(kAlarm * high_bytes_, kSwingPart * window_bytes_) + grown_bytes_;
  if (window_bytes_ * (1 - base_part) < alarm_bytes || waiting_rounds_ > 0) return;
  fall_to(kAlarmPart * window_bytes_ * base_part);
  start_round(sight.now_ns);
}

void PathWindow::fall_to(double window_bytes) {
  // A slow start overshoots by its last doubling.
  wanted_bytes_ = is_slow_start_ ? window_bytes_ / kSlowStartFactor : kForgetPart * wanted_bytes_;
  window_bytes_ = std::max(std::min(window_bytes_, window_bytes), least_bytes_);
  is_slow_start_ = false;
  waiting_rounds_ = kWaitRounds;
  step_bytes_ = kSegmentBytes;
}

void PathWindow::start_round(std::uint64_t now_ns) {
  round_ns_ = now_ns;
  moved_bytes_ = 0;
  least_round_trip_us_ = 0;
  has_lost_ = false;
}

void PathWindow::end_round(const PathSight& sight) {
  const double seconds = static_cast<double>(sight.now_ns - round_ns_) / gray::base::kNanosecondsPerSecond;
  if (seconds <= 0 || sight.base_us == 0) return;
  if (drain_rounds_ > 0) {
    if (--drain_rounds_ > 0) return;
    drain_bytes_ = 0;
    waiting_rounds_ = 1;
    if (sight.base_us < kShorterPart * base_before_us_) drains_ = 0;
    if (drains_ == 0) drained_ns_ = sight.now_ns - kDrainEveryNs;
    return;
  }
  if (waiting_rounds_ > 0) {
    --waiting_rounds_;
    return;
  }
  const double round_trip_s = least_round_trip_us_ / kUsPerS;
  const double base_s = std::min(sight.base_us / kUsPerS, round_trip_s);
  const double flow_bytes_per_s = static_cast<double>(moved_bytes_) / seconds;
  const double under_way_bytes = std::min(window_bytes_, flow_bytes_per_s * round_trip_s);
  const double queued_bytes = under_way_bytes * (1 - base_s / round_trip_s);
  const double low_bytes = kQueueLowBytes + flow_bytes_per_s * grain_s_;
  high_bytes_ = low_bytes + kQueueSpanBytes;
  grown_bytes_ /= 2;
  if (has_lost_) {
    window_bytes_ *= kLossPart;
    is_slow_start_ = false;
    step_bytes_ = kSegmentBytes;
  } else if (queued_bytes > high_bytes_ || (is_slow_start_ && queued_bytes > low_bytes)) {
    const double excess_bytes = queued_bytes - (low_bytes + high_bytes_) / 2;
    if (!is_slow_start_ && queued_bytes < kLittle * high_bytes_) {
      window_bytes_ -= excess_bytes / 2;
      waiting_rounds_ = 1;
      step_bytes_ = kSegmentBytes;
    } else {
      fall_to(under_way_bytes - excess_bytes);
    }
  } else if (queued_bytes < low_bytes) {
    if (under_way_bytes >= kUsedPart * window_bytes_) grow(queued_bytes, low_bytes);
  } else {
    step_bytes_ = kSegmentBytes;
    // Beside others who fill the queue a small window is within its bounds, too.
    if (round_trip_s < kOwnFactor * base_s) wanted_bytes_ = window_bytes_;
  }
  window_bytes_ = std::max(window_bytes_, least_bytes_);
  if (sight.now_ns - drained_ns_ >= kDrainEveryNs) start_drain(sight, queued_bytes);
}

void PathWindow::grow(double queued_bytes, double low_bytes) {
  has_grown_ = !has_grown_;
  if (!has_grown_) return;
  if (is_slow_start_) {
    window_bytes_ *= kSlowStartFactor;
    return;
  }
  // Near the bound the window grows by half of the missing bytes. That gives equal parts to the senders that share a fast path.
  if (queued_bytes > low_bytes / 2) step_bytes_ = std::max(kSegmentBytes, (low_bytes - queued_bytes) / 2);
  // The window grows back towards the size that it had before other senders came, each time by half of the difference, and then on from one segment.
  const double missing_bytes = (kTakeBackPart * wanted_bytes_ - window_bytes_) / 2;
  grown_bytes_ = std::max(step_bytes_, missing_bytes);
  window_bytes_ += grown_bytes_;
  step_bytes_ = missing_bytes > step_bytes_
                    ? kSegmentBytes
                    : std::min(2 * step_bytes_, std::max(kSegmentBytes, kStepPart * window_bytes_));
}

void PathWindow::start_drain(const PathSight& sight, double queued_bytes) {
  drained_ns_ = sight.now_ns;
  base_before_us_ = sight.base_us;
  const bool is_deep = drains_++ % kDeepDrainEvery == 0;
  drain_bytes_ = is_deep ? kDrainPart * window_bytes_
                         : std::min(kDrainFactor * queued_bytes, kDrainPart * window_bytes_);
  drain_rounds_ = kDrainRounds;
}

}  // namespace netnice
