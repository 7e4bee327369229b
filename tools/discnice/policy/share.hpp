// SPDX-License-Identifier: MIT
// share: a policy by which several jobs share one total rate by weight.
#pragma once

#include <cstddef>

#include "tools/discnice/policy/policy.hpp"

namespace discnice::policy {

extern const Policy kShare;

/// One job that asks for a part of the total.
struct Claim {
  std::uint32_t weight = 1;
  std::uint64_t wanted_bytes_per_s = 0;   // what it would use; UINT64_MAX: all it can get
  std::uint64_t granted_bytes_per_s = 0;  // the answer
};

/// Divides `total_bytes_per_s` by weight. No job gets more than it wants while another job wants more: the part that one job does not use goes to the others. The grants add up
/// to the total, or to the sum of all wishes if that is less. Pure.
void divide(std::uint64_t total_bytes_per_s, Claim* claims, std::size_t count);

}  // namespace discnice::policy
