// SPDX-License-Identifier: MIT
#include "bench/hddsim/cloud_volume.hpp"

#include <algorithm>

namespace hddsim {
namespace {

std::uint64_t time_ns(std::uint64_t amount, std::uint64_t per_second) {
  return static_cast<std::uint64_t>(static_cast<double>(amount) / static_cast<double>(per_second) * 1e9);
}

// Takes `amount` from a cap with credits. Returns when it is available.
std::uint64_t take(std::uint64_t& until_ns, std::uint64_t amount, std::uint64_t per_second,
                   std::uint64_t burst, std::uint64_t now_ns) {
  const std::uint64_t credit_ns = time_ns(burst, per_second);
  const std::uint64_t oldest_ns = now_ns > credit_ns ? now_ns - credit_ns : 0;
  until_ns = std::max(until_ns, oldest_ns) + time_ns(amount, per_second);
  return std::max(until_ns, now_ns);
}

}  // namespace

std::uint64_t CloudVolume::positioning_ns(const Request& /*request*/, std::uint64_t /*now_ns*/) const {
  return 0;
}

Service CloudVolume::serve(const Request& request, std::uint64_t now_ns) {
  Service service;
  if (request.operation == Operation::flush) {
    service.end_ns = now_ns + profile_.latency_ns;
    service.next_ns = now_ns;
    return service;
  }
  const std::uint64_t operations =
      std::max<std::uint64_t>(1, (request.length + profile_.operation_bytes - 1) / profile_.operation_bytes);
  const std::uint64_t operations_at_ns = take(
      operations_until_ns_, operations, profile_.operations_per_second, profile_.burst_operations, now_ns);
  const std::uint64_t bytes_at_ns =
      take(bytes_until_ns_, request.length, profile_.rate, profile_.burst_bytes, now_ns);
  const std::uint64_t admitted_ns = std::max(operations_at_ns, bytes_at_ns);
  service.rotation_ns = admitted_ns - now_ns;
  service.transfer_ns = profile_.latency_ns;
  service.end_ns = admitted_ns + profile_.latency_ns;
  service.next_ns = admitted_ns;
  return service;
}

}  // namespace hddsim
