// SPDX-License-Identifier: MIT
#include "tools/netnice/gate/lane.hpp"

#include <algorithm>

namespace netnice::gate {
namespace {

constexpr std::uint64_t kNsPerS = 1'000'000'000;
// Of a time without traffic, so much may be made up for at once. It bears a sleep that ends late, and lets a small request through.
constexpr std::uint64_t kCreditNs = 50'000'000;
constexpr std::uint64_t kCreditBytes = 4096;
// No call moves more. The bound also keeps the product with kNsPerS within its word.
constexpr std::uint64_t kBytesMost = std::uint64_t{1} << 33;

std::uint64_t cost_ns_of(std::uint64_t bytes, std::uint64_t rate_bytes_per_s) {
  return std::min(bytes, kBytesMost) * kNsPerS / std::max<std::uint64_t>(rate_bytes_per_s, 1);
}

std::uint64_t credit_ns(std::uint64_t rate_bytes_per_s) {
  return std::min(std::max(kCreditNs, cost_ns_of(kCreditBytes, rate_bytes_per_s)), kWaitMostNs);
}

// The word within its bounds: not before the credit, and not after the longest wait.
std::uint64_t start_ns(std::uint64_t paid_ns, std::uint64_t now_ns, std::uint64_t rate_bytes_per_s) {
  const std::uint64_t credit = std::min(credit_ns(rate_bytes_per_s), now_ns);
  return std::clamp(paid_ns, now_ns - credit, now_ns + kWaitMostNs);
}

}  // namespace

Turn book(Lane& lane, std::uint64_t bytes, std::uint64_t now_ns) {
  const std::uint64_t rate = lane.rate_bytes_per_s.load(std::memory_order_relaxed);
  if (rate == 0) return {now_ns, 0};
  const std::uint64_t cost = cost_ns_of(bytes, rate);
  std::uint64_t paid = lane.paid_ns.load(std::memory_order_relaxed);
  for (;;) {
    const std::uint64_t start = start_ns(paid, now_ns, rate);
    if (lane.paid_ns.compare_exchange_weak(paid, start + cost, std::memory_order_relaxed))
      return {start, cost};
  }
}

void settle(Lane& lane, const Turn& turn, std::uint64_t booked_bytes, std::uint64_t moved_bytes) {
  moved_bytes = std::min(moved_bytes, booked_bytes);
  if (moved_bytes != 0) lane.moved_bytes.fetch_add(moved_bytes, std::memory_order_relaxed);
  if (turn.cost_ns == 0 || moved_bytes == booked_bytes) return;
  const double left = 1 - static_cast<double>(moved_bytes) / static_cast<double>(booked_bytes);
  lane.paid_ns.fetch_sub(static_cast<std::uint64_t>(static_cast<double>(turn.cost_ns) * left),
                         std::memory_order_relaxed);
}

void charge(Lane& lane, std::uint64_t bytes, std::uint64_t now_ns) {
  book(lane, bytes, now_ns);
  lane.moved_bytes.fetch_add(bytes, std::memory_order_relaxed);
}

std::uint64_t free_at_ns(const Lane& lane, std::uint64_t now_ns) {
  const std::uint64_t rate = lane.rate_bytes_per_s.load(std::memory_order_relaxed);
  if (rate == 0) return now_ns;
  return std::max(start_ns(lane.paid_ns.load(std::memory_order_relaxed), now_ns, rate), now_ns);
}

}  // namespace netnice::gate
