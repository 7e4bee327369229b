// SPDX-License-Identifier: MIT
#include "libgray/src/memory/fair_share.hpp"

#include <algorithm>

namespace gray::memory {
namespace {

// The level to which all admitted can be filled: each gets at least its minimum, at most its maximum.
std::uint64_t find_level(std::uint64_t pool_bytes, const std::vector<Asker>& admitted) {
  const auto needed = [&](std::uint64_t level) {
    std::uint64_t sum = 0;
    for (const Asker& asker : admitted) {
      const std::uint64_t part =
          std::clamp(level, asker.min_bytes, std::max(asker.min_bytes, asker.max_bytes));
      if (part > pool_bytes - sum) return false;
      sum += part;
    }
    return true;
  };
  std::uint64_t low = 0;  // always possible: the minima fit
  std::uint64_t high = pool_bytes;
  while (low < high) {
    const std::uint64_t middle = low + (high - low + 1) / 2;
    if (needed(middle)) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

}  // namespace

std::uint64_t fair_share(std::uint64_t pool_bytes, std::vector<Asker> askers, std::size_t self) {
  const Asker me = askers[self];
  askers.erase(askers.begin() + static_cast<std::ptrdiff_t>(self));
  std::sort(askers.begin(), askers.end(), [](const Asker& a, const Asker& b) { return a.ticket < b.ticket; });
  // Behind a claim with the same ticket.
  const auto place = std::upper_bound(askers.begin(), askers.end(), me,
                                      [](const Asker& a, const Asker& b) { return a.ticket < b.ticket; });
  const auto mine = static_cast<std::size_t>(place - askers.begin());
  askers.insert(place, me);
  std::vector<Asker> admitted;
  std::uint64_t left_bytes = pool_bytes;
  for (const Asker& asker : askers) {
    if (asker.min_bytes > left_bytes) break;
    left_bytes -= asker.min_bytes;
    admitted.push_back(asker);
  }
  if (admitted.size() <= mine) return 0;
  return std::clamp(find_level(pool_bytes, admitted), me.min_bytes, std::max(me.min_bytes, me.max_bytes));
}

}  // namespace gray::memory
