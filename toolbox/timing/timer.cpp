// SPDX-License-Identifier: MIT
#include "toolbox/timing/timer.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "toolbox/base/clock.hpp"

namespace gray::timing {
namespace {

// Two anchors this far apart suffice as a rule; where reading both clocks takes long, the distance is
// doubled.
constexpr std::uint64_t kFirstBaselineNs = 10'000'000;
constexpr std::uint64_t kLastBaselineNs = 160'000'000;

// Of so many tries at an anchor the tightest counts: one that was interrupted is wide.
constexpr int kAnchorTries = 64;

// Readings in a batch, and batches: enough for a stable median in about a millisecond.
constexpr std::size_t kReadings = 256;
constexpr std::size_t kBatches = 31;

// Above this factor CLOCK_MONOTONIC_RAW is a real system call (kernels before 5.3), and the other one is
// taken.
constexpr double kDearFactor = 2;

// One instant on both clocks: `ticks` was read within `width_ns` around `ns`.
struct Anchor {
  std::uint64_t ticks = 0;
  std::uint64_t ns = 0;
  std::uint64_t width_ns = UINT64_MAX;
};

Anchor read_anchor() {
  Anchor best;
  for (int i = 0; i < kAnchorTries; ++i) {
    const std::uint64_t before_ns = base::monotonic_ns();
    const std::uint64_t ticks = read_counter();
    const std::uint64_t after_ns = base::monotonic_ns();
    const std::uint64_t width_ns = after_ns - before_ns;
    if (width_ns < best.width_ns) best = {ticks, before_ns + width_ns / 2, width_ns};
  }
  return best;
}

void sleep_ns(std::uint64_t duration_ns) {
  const timespec pause{0, static_cast<long>(duration_ns)};
  nanosleep(&pause, nullptr);  // a signal only shortens the baseline, which is measured, not assumed
}

double median(std::array<double, kBatches>& values) {
  std::nth_element(values.begin(), values.begin() + kBatches / 2, values.end());
  return values[kBatches / 2];
}

double clock_cost_ns(clockid_t id) {
  std::array<double, kBatches> costs{};
  for (double& cost : costs) {
    const std::uint64_t start_ns = base::monotonic_ns();
    for (std::size_t i = 0; i < kReadings; ++i) (void)read_clock_ns(id);
    cost = static_cast<double>(base::monotonic_ns() - start_ns) / kReadings;
  }
  return median(costs);
}

ClockChoice refine(ClockChoice choice) {
  if (choice.clock != Clock::kMonotonicRaw) return choice;
  if (clock_cost_ns(CLOCK_MONOTONIC_RAW) <= kDearFactor * clock_cost_ns(CLOCK_MONOTONIC)) return choice;
  return {Clock::kMonotonic, choice.reason + "; CLOCK_MONOTONIC_RAW is dear here"};
}

}  // namespace

Timer::Timer() : Timer(refine(choose_clock(read_clock_facts()))) {}

Timer::Timer(const ClockChoice& choice) : clock_(choice.clock), reason_(choice.reason) {
  if (clock_ == Clock::kCounter) calibrate_rate();
  measure_reading();
}

void Timer::calibrate_rate() {
  const Anchor start = read_anchor();
  for (std::uint64_t baseline_ns = kFirstBaselineNs; baseline_ns <= kLastBaselineNs; baseline_ns *= 2) {
    sleep_ns(baseline_ns);
    const Anchor end = read_anchor();
    const auto elapsed_ns = static_cast<double>(end.ns - start.ns);
    if (end.ticks <= start.ticks || elapsed_ns <= 0) continue;
    ns_per_tick_ = elapsed_ns / static_cast<double>(end.ticks - start.ticks);
    // Each anchor is off by half its width at most.
    rate_error_ppm_ = static_cast<double>(start.width_ns + end.width_ns) / 2 / elapsed_ns * 1e6;
    if (rate_error_ppm_ <= kRateErrorMaxPpm) return;
  }
}

void Timer::measure_reading() {
  std::array<double, kBatches> costs{};
  std::array<std::uint64_t, kReadings> readings{};
  std::uint64_t step_ticks = 0;
  for (double& cost : costs) {
    for (std::uint64_t& reading : readings) reading = ticks();
    cost = to_ns(readings.back() - readings.front()) / (kReadings - 1);
    // All differences are multiples of the step, so their greatest common divisor soon is the step.
    for (std::size_t i = 1; i < kReadings; ++i) {
      step_ticks = std::gcd(step_ticks, readings[i] - readings[i - 1]);
    }
  }
  cost_ns_ = median(costs);
  resolution_ns_ = to_ns(std::max<std::uint64_t>(step_ticks, 1));
}

}  // namespace gray::timing
