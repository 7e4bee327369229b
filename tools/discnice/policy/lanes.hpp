// SPDX-License-Identifier: MIT
// lanes: the limits that a job may have at the same time (all bytes, read bytes, written bytes, operations). Each limit has an account of its own.
//
// A lane is a rate window that counts in units of its own. A policy that works on one word therefore works on each lane.
#pragma once

#include <cstdint>

#include "tools/discnice/contract/grant.hpp"
#include "tools/discnice/contract/io_estimate.hpp"

namespace discnice::policy {

/// Only append values: the number is a place in shared memory.
enum class Lane : std::uint8_t { bytes, read_bytes, written_bytes, operations };
inline constexpr std::uint32_t kLaneCount = 4;

/// The lane's limit in its units for each second; 0 = no limit.
constexpr std::uint64_t lane_limit(const Grant& grant, Lane lane) {
  switch (lane) {
    case Lane::bytes:
      return grant.rate_bytes_per_s;
    case Lane::read_bytes:
      return grant.read_rate_bytes_per_s;
    case Lane::written_bytes:
      return grant.write_rate_bytes_per_s;
    case Lane::operations:
      return grant.operations_per_s;
  }
  return 0;
}

/// The grant for a policy that works on this lane alone: the lane's limit takes the place of the rate.
constexpr Grant lane_grant(const Grant& grant, Lane lane) {
  Grant one = grant;
  one.rate_bytes_per_s = lane_limit(grant, lane);
  return one;
}

/// The cost in this lane of an operation with this estimate.
constexpr std::uint64_t lane_cost(Lane lane, const IoEstimate& estimate) {
  switch (lane) {
    case Lane::bytes:
      return estimate.cost_bytes();
    case Lane::read_bytes:
      return estimate.read_bytes;
    case Lane::written_bytes:
      return estimate.write_bytes;
    case Lane::operations:
      return estimate.cost_bytes() != 0 ? 1 : 0;
  }
  return 0;
}

/// True when any lane is limited.
constexpr bool has_limit(const Grant& grant) {
  return (grant.rate_bytes_per_s | grant.read_rate_bytes_per_s | grant.write_rate_bytes_per_s |
          grant.operations_per_s) != 0;
}

}  // namespace discnice::policy
