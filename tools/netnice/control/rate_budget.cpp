// SPDX-License-Identifier: MIT
#include "tools/netnice/control/rate_budget.hpp"

#include <algorithm>

#include "toolbox/base/units.hpp"

namespace netnice {
namespace {

constexpr double kHorizonS = 0.5;    // a difference is made up for within this time
constexpr double kIdleS = 0.25;      // of a time without traffic, at most this much is made up for
constexpr double kLeastPart = 0.05;  // least part of the rate that is allowed, whatever the debt
constexpr double kMostPart = 1.5;

}  // namespace

void RateBudget::see(std::uint64_t now_ns, std::uint64_t moved_bytes) {
  if (last_ns_ == 0) last_ns_ = now_ns;
  const double seconds = static_cast<double>(now_ns - last_ns_) / gray::base::kNanosecondsPerSecond;
  last_ns_ = now_ns;
  owed_bytes_ += rate_bytes_per_s_ * seconds - static_cast<double>(moved_bytes);
  owed_bytes_ = std::min(owed_bytes_, rate_bytes_per_s_ * kIdleS);
}

double RateBudget::allowed_bytes_per_s() const {
  return std::clamp(rate_bytes_per_s_ + owed_bytes_ / kHorizonS, rate_bytes_per_s_ * kLeastPart,
                    rate_bytes_per_s_ * kMostPart);
}

}  // namespace netnice
