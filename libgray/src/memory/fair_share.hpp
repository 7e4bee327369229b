// SPDX-License-Identifier: MIT
// fair_share: divides a pool of memory among the calls that ask at the same time.
//
// First come, first served for the minimum; what remains is levelled up, so that equal askers get equal shares
// and nobody gets more than it wants (max-min fairness).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gray::memory {

struct Asker {
  std::uint64_t ticket;  // the lower came first
  std::uint64_t min_bytes;
  std::uint64_t max_bytes;
};

/// The share of the claim at `self`, in a pool of this size. It is 0 if its minimum does not fit behind the minima of all earlier claims. Then later claims get nothing either;
/// otherwise a large minimum would wait for ever. All shares together are at most the pool, unless two tickets are equal: then each of the two assumes that the other came first.
/// Pure.
std::uint64_t fair_share(std::uint64_t pool_bytes, std::vector<Asker> askers, std::size_t self);

}  // namespace gray::memory
