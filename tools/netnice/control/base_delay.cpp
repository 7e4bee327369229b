// SPDX-License-Identifier: MIT
#include "tools/netnice/control/base_delay.hpp"

#include <algorithm>

#include "toolbox/base/units.hpp"

namespace netnice {
namespace {

constexpr std::uint64_t kBucketNs = 2 * gray::base::kNanosecondsPerSecond;
constexpr std::uint64_t kPauseNs = 200 * gray::base::kNanosecondsPerMillisecond;

}  // namespace

void BaseDelay::see(std::uint64_t now_ns, std::uint32_t round_trip_us) {
  if (round_trip_us == 0) return;
  if (last_ns_ != 0) in_bucket_ns_ += std::min(now_ns - std::min(last_ns_, now_ns), kPauseNs);
  last_ns_ = now_ns;
  if (in_bucket_ns_ >= kBucketNs) {
    in_bucket_ns_ = 0;
    current_ = (current_ + 1) % kBuckets;
    least_us_[current_] = 0;
  }
  std::uint32_t& least = least_us_[current_];
  least = least == 0 ? round_trip_us : std::min(least, round_trip_us);
}

std::uint32_t BaseDelay::base_us() const {
  std::uint32_t base = 0;
  for (const std::uint32_t least : least_us_)
    if (least != 0 && (base == 0 || least < base)) base = least;
  return base;
}

}  // namespace netnice
