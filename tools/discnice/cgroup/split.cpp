// SPDX-License-Identifier: MIT
#include "tools/discnice/cgroup/split.hpp"

#include <algorithm>
#include <cmath>

#include "tools/discnice/policy/share.hpp"

namespace discnice::cgroup {
namespace {

// The used rate is a mean over about this time.
constexpr double kForgetS = 0.28;
// A flow that used at least this part of its limit wants more.
constexpr double kHungry = 0.8;
// The limit of a flow that has moved nothing lately, as a part of the rate. Up to this part of the rate may be moved
// beyond the rate until the next look.
constexpr std::uint64_t kFloorShare = 16;
// The first two say how much excess, and how much unused rate, is remembered, in seconds at the rate. The third says how much excess is ignored, because
// requests come in bursts. The last two say in which time the excess is made up for, and by which part of the rate at most.
constexpr double kExcessMaxS = 1;
constexpr double kLeftMaxS = 2;
constexpr double kLumpS = 0.1;
constexpr double kMadeUpInS = 2;
constexpr double kMadeUpShare = 0.25;
// The sum of the limits rises while the job moves less than the rate. These parts of the difference are added
// in a second, and at most at one look.
constexpr double kBoostPerS = 1.5;
constexpr double kBoostMost = 0.5;

}  // namespace

void note(Flow& flow, double bytes_per_s, double passed_s) {
  flow.last_bytes_per_s = bytes_per_s;
  flow.used_bytes_per_s += (1 - std::exp(-passed_s / kForgetS)) * (bytes_per_s - flow.used_bytes_per_s);
}

void Excess::add(double moved_bytes, double duration_s, std::uint64_t rate_bytes_per_s) {
  const auto rate = static_cast<double>(rate_bytes_per_s);
  bytes_ = std::clamp(bytes_ + moved_bytes - rate * duration_s, -kLeftMaxS * rate, kExcessMaxS * rate);
}

std::uint64_t Excess::made_up(std::uint64_t rate_bytes_per_s) const {
  const auto rate = static_cast<double>(rate_bytes_per_s);
  if (bytes_ <= kLumpS * rate) return rate_bytes_per_s;
  return static_cast<std::uint64_t>(rate - std::min(bytes_ / kMadeUpInS, kMadeUpShare * rate));
}

void Boost::add(double used_bytes_per_s, std::size_t active, std::uint64_t rate_bytes_per_s,
                double passed_s) {
  const auto rate = static_cast<double>(rate_bytes_per_s);
  const double most = active < 2 ? 1 : static_cast<double>(active);
  factor_ = std::clamp(factor_ + std::min(kBoostPerS * passed_s, kBoostMost) * (1 - used_bytes_per_s / rate),
                       1.0, most);
}

void split(std::uint64_t sum_bytes_per_s, std::uint64_t rate_bytes_per_s, Flow* flows, std::size_t count) {
  policy::Claim claims[kFlowsMax];
  bool is_anybody_hungry = false;
  for (std::size_t i = 0; i < count; ++i) {
    const double limit = static_cast<double>(flows[i].limit_bytes_per_s);
    // The mean alone would take half a second to show that a flow with a very low limit wants more.
    const double used = std::max(flows[i].used_bytes_per_s, flows[i].last_bytes_per_s);
    const bool is_hungry = limit > 0 && used >= kHungry * limit;
    is_anybody_hungry = is_anybody_hungry || is_hungry;
    claims[i].wanted_bytes_per_s =
        is_hungry ? UINT64_MAX
                  : static_cast<std::uint64_t>(
                        std::min(flows[i].used_bytes_per_s, static_cast<double>(rate_bytes_per_s)));
  }
  policy::divide(sum_bytes_per_s, claims, count);
  std::uint64_t left = sum_bytes_per_s;
  for (std::size_t i = 0; i < count; ++i) left -= std::min(left, claims[i].granted_bytes_per_s);
  if (is_anybody_hungry) left = 0;
  const std::uint64_t floor = std::max<std::uint64_t>(rate_bytes_per_s / kFloorShare, 1);
  for (std::size_t i = 0; i < count; ++i)
    flows[i].limit_bytes_per_s =
        std::clamp(claims[i].granted_bytes_per_s + left, floor, std::max(rate_bytes_per_s, floor));
}

}  // namespace discnice::cgroup
