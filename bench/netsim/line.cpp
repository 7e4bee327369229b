// SPDX-License-Identifier: MIT
#include "bench/netsim/line.hpp"

#include <algorithm>

namespace netsim {
namespace {

constexpr std::uint64_t kNsPerS = 1'000'000'000;

// The time is rounded up, so that the rate is never above the requested rate.
std::uint64_t transfer_ns(std::uint64_t bytes, std::uint64_t rate_bytes_per_s) {
  return (bytes * kNsPerS + rate_bytes_per_s - 1) / rate_bytes_per_s;
}

}  // namespace

Line::Line(const LineShape& shape, std::uint64_t seed) : shape_(shape), random_(seed) {}

bool Line::is_lost() {
  return shape_.loss > 0 && std::uniform_real_distribution<double>(0, 1)(random_) < shape_.loss;
}

std::optional<std::uint64_t> Line::admit(std::uint64_t now_ns, std::uint64_t length_bytes) {
  if (is_lost()) {
    ++count_.lost;
    return std::nullopt;
  }
  const std::uint64_t wait_ns = free_ns_ > now_ns ? free_ns_ - now_ns : 0;
  const double waiting = static_cast<double>(wait_ns) * static_cast<double>(shape_.rate_bytes_per_s) /
                         static_cast<double>(kNsPerS);
  const std::uint64_t queue = static_cast<std::uint64_t>(waiting) + length_bytes;
  if (queue > shape_.queue_bytes) {
    ++count_.dropped;
    return std::nullopt;
  }
  ++count_.packets;
  count_.bytes += length_bytes;
  count_.queue_bytes_max = std::max(count_.queue_bytes_max, queue);
  free_ns_ = std::max(free_ns_, now_ns) + transfer_ns(length_bytes, shape_.rate_bytes_per_s);
  return free_ns_ + shape_.round_trip_ns / 2;
}

}  // namespace netsim
