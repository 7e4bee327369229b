// SPDX-License-Identifier: MIT
// share: several jobs under one total, by weight.
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

/// Divides `total_bytes_per_s` by weight. Nobody gets more than it wants while another wants more: what one leaves over goes to
/// the others. The grants add up to the total, or to what is wanted if that is less. Pure.
void divide(std::uint64_t total_bytes_per_s, Claim* claims, std::size_t count);

}  // namespace discnice::policy
