// SPDX-License-Identifier: MIT
// fair_share: how a pool of memory is divided among those who ask for some at the same time.
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

/// The share of the asker at `self`, of a pool of so many bytes. 0 when its minimum, behind those of all who
/// came before it, does not fit: then nobody who came later gets anything either, or a large minimum would
/// wait for ever. The shares of all sum up to no more than the pool, unless tickets
/// are the same: then each takes the other to have come first. Pure.
std::uint64_t fair_share(std::uint64_t pool_bytes, std::vector<Asker> askers, std::size_t self);

}  // namespace gray::memory
