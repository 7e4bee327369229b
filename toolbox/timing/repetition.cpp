// SPDX-License-Identifier: MIT
#include "toolbox/timing/repetition.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace gray::timing {
namespace {

constexpr double kNormalQuantile95 = 1.959963984540054;

// A sample shall last this many readings and steps of the timer, so that both stay below a hundredth of it.
constexpr double kSampleOverTimer = 200;
constexpr double kCallsMax = 1e7;

// Sorting at every sample would cost more than the samples: the interval is looked at when their number grew
// by this part.
constexpr std::size_t kCheckGrowthDivisor = 8;

// Position of the k-th smallest sample that bounds the interval from below; 0 with few samples.
std::size_t low_position(std::size_t count) {
  const auto n = static_cast<double>(count);
  const double k = std::floor((n - kNormalQuantile95 * std::sqrt(n)) / 2);
  return k >= 1 ? static_cast<std::size_t>(k) - 1 : 0;
}

double median_of_sorted(const std::vector<double>& sorted) {
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

}  // namespace

void Repetition::add(double sample_ns, std::uint64_t elapsed_ns) {
  samples_ns_.push_back(sample_ns);
  const std::size_t count = samples_ns_.size();
  if (count >= plan_.samples_max || elapsed_ns >= plan_.budget_ns) {
    wants_more_ = false;
    return;
  }
  if (count < plan_.samples_min || count < next_check_) return;
  next_check_ = count + std::max<std::size_t>(1, count / kCheckGrowthDivisor);
  wants_more_ = !result().is_narrow;
}

Timing Repetition::result() const {
  Timing timing;
  timing.samples_ns = samples_ns_;
  std::vector<double> sorted = samples_ns_;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t low = low_position(sorted.size());
  timing.median_ns = median_of_sorted(sorted);
  timing.min_ns = sorted.front();
  timing.max_ns = sorted.back();
  timing.mean_ns = std::accumulate(sorted.begin(), sorted.end(), 0.0) / static_cast<double>(sorted.size());
  timing.low_ns = sorted[low];
  timing.high_ns = sorted[sorted.size() - 1 - low];
  const double half_width_ns = (timing.high_ns - timing.low_ns) / 2;
  timing.is_narrow =
      sorted.size() >= plan_.samples_min && half_width_ns <= plan_.relative_interval_max * timing.median_ns;
  return timing;
}

std::size_t calls_for(const Timer& timer, double call_ns) {
  const double wanted_ns = kSampleOverTimer * std::max(timer.cost_ns(), timer.resolution_ns());
  if (call_ns >= wanted_ns) return 1;
  const double calls = call_ns > 0 ? std::ceil(wanted_ns / call_ns) : kCallsMax;
  return static_cast<std::size_t>(std::min(calls, kCallsMax));
}

}  // namespace gray::timing
