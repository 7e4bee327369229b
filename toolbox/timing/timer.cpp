// SPDX-License-Identifier: MIT
#include "toolbox/timing/timer.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace gray::timing {
namespace {

// The readings in a batch, and the number of batches: enough for a stable median in about a millisecond.
constexpr std::size_t kReadings = 256;
constexpr std::size_t kBatches = 31;

}  // namespace

Timer::Timer() {
  std::array<double, kBatches> costs{};
  std::array<std::uint64_t, kReadings> readings{};
  std::uint64_t step_ns = 0;
  for (double& cost : costs) {
    for (std::uint64_t& reading : readings) reading = now_ns();
    cost = static_cast<double>(readings.back() - readings.front()) / (kReadings - 1);
    // All differences are multiples of the step, so their greatest common divisor is soon the step itself.
    for (std::size_t i = 1; i < kReadings; ++i) step_ns = std::gcd(step_ns, readings[i] - readings[i - 1]);
  }
  std::nth_element(costs.begin(), costs.begin() + kBatches / 2, costs.end());
  cost_ns_ = costs[kBatches / 2];
  resolution_ns_ = static_cast<double>(std::max<std::uint64_t>(step_ns, 1));
}

}  // namespace gray::timing
