// SPDX-License-Identifier: MIT
// fair_share: divides a pool of memory among the processes that ask for memory at the same time.
//
// The minima are served in the order of arrival. The rest is divided evenly, so that equal askers get equal shares and no asker gets more than its maximum (max-min fairness).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gray::memory {

struct Asker {
  std::uint64_t ticket;  // the lower ticket came first
  std::uint64_t min_bytes;
  std::uint64_t max_bytes;
};

/// The share of the asker at `self` in a pool of this many bytes. 0 if its minimum does not fit after the minima of all earlier askers. Then no later asker
/// gets memory either. Otherwise a large minimum would wait for ever. The sum of all shares is no more than the pool. With equal tickets each asker assumes
/// that the other came first. Pure.
std::uint64_t fair_share(std::uint64_t pool_bytes, std::vector<Asker> askers, std::size_t self);

}  // namespace gray::memory
