// SPDX-License-Identifier: MIT
// share: divides one total rate among several jobs, by weight.
#pragma once

#include <cstddef>

#include "tools/discnice/policy/policy.hpp"

namespace discnice::policy {

extern const Policy kShare;

/// One job that asks for a part of the total.
struct Claim {
  std::uint32_t weight = 1;
  std::uint64_t wanted_bytes_per_s = 0;  // the rate that the job would use; UINT64_MAX: as much as it can get
  std::uint64_t granted_bytes_per_s = 0;  // the answer
};

/// Divides `total_bytes_per_s` by weight. While one claim wants more, no other claim gets more than this other claim wants. The part that a claim
/// does not use goes to the others. The grants add up to the total, or to the sum of the wanted rates if that is less. Pure.
void divide(std::uint64_t total_bytes_per_s, Claim* claims, std::size_t count);

}  // namespace discnice::policy
