// SPDX-License-Identifier: MIT
#include "tools/netnice/control/shares.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace netnice {

std::vector<double> shares_of(double all, const std::vector<double>& demands) {
  std::vector<std::size_t> by_demand(demands.size());
  std::iota(by_demand.begin(), by_demand.end(), 0U);
  std::sort(by_demand.begin(), by_demand.end(),
            [&demands](std::size_t a, std::size_t b) { return demands[a] < demands[b]; });
  std::vector<double> shares(demands.size());
  double left = std::max(all, 0.0);
  std::size_t askers = demands.size();
  for (const std::size_t one : by_demand) {
    shares[one] = std::min(demands[one], left / static_cast<double>(askers));
    left -= shares[one];
    --askers;
  }
  return shares;
}

}  // namespace netnice
