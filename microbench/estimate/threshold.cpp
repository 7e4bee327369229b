// SPDX-License-Identifier: MIT
#include "microbench/estimate/threshold.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace microbench::estimate {
namespace {

// Sorted values above `limit`.
double count_above(const std::vector<double>& sorted, double limit) {
  return static_cast<double>(sorted.end() - std::upper_bound(sorted.begin(), sorted.end(), limit));
}

constexpr double kBinsPerDoubling = 2;

}  // namespace

Threshold best_threshold(std::vector<double> hits_ns, std::vector<double> misses_ns) {
  Threshold best;
  if (hits_ns.empty() || misses_ns.empty()) return best;
  std::sort(hits_ns.begin(), hits_ns.end());
  std::sort(misses_ns.begin(), misses_ns.end());
  std::vector<double> all = hits_ns;
  all.insert(all.end(), misses_ns.begin(), misses_ns.end());
  std::sort(all.begin(), all.end());
  double best_sum = 3;  // above any sum of two shares
  double best_gap = 0;
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    if (all[i] == all[i + 1]) continue;
    const double false_miss = count_above(hits_ns, all[i]) / static_cast<double>(hits_ns.size());
    const double false_hit = 1 - count_above(misses_ns, all[i]) / static_cast<double>(misses_ns.size());
    const double gap = all[i + 1] / std::max(all[i], 1.0);
    const double sum = false_miss + false_hit;
    // Of equally good ones the widest gap is the safest.
    if (sum > best_sum || (sum == best_sum && gap <= best_gap)) continue;
    best_sum = sum;
    best_gap = gap;
    best = {std::sqrt(std::max(all[i], 1.0) * all[i + 1]), false_miss, false_hit};
  }
  return best;
}

std::vector<Bin> histogram(const std::vector<double>& times_ns) {
  std::map<int, double> counts;
  for (const double time : times_ns) {
    if (time >= 1) ++counts[static_cast<int>(std::floor(std::log2(time) * kBinsPerDoubling))];
  }
  std::vector<Bin> bins;
  for (const auto& [step, count] : counts) {
    bins.push_back(
        {static_cast<unsigned long long>(std::llround(std::exp2(step / kBinsPerDoubling))), count});
  }
  return bins;
}

}  // namespace microbench::estimate
