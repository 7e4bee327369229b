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

// Thresholds that are wrong only this much more often than the best one are as good as the best. The middle between the first and the last of them does not depend on a single
// slow hit or quick miss, and is nearly the same in the next run.
constexpr double kAsGoodShare = 0.05;

struct Errors {
  double false_miss;
  double false_hit;
  [[nodiscard]] double sum() const { return false_miss + false_hit; }
};

Errors errors_at(double limit, const std::vector<double>& hits_ns, const std::vector<double>& misses_ns) {
  return {count_above(hits_ns, limit) / static_cast<double>(hits_ns.size()),
          1 - count_above(misses_ns, limit) / static_cast<double>(misses_ns.size())};
}

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
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    if (all[i] != all[i + 1]) best_sum = std::min(best_sum, errors_at(all[i], hits_ns, misses_ns).sum());
  }
  double low_ns = 0;
  double high_ns = 0;
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    if (all[i] == all[i + 1]) continue;
    if (errors_at(all[i], hits_ns, misses_ns).sum() > best_sum + kAsGoodShare) continue;
    if (low_ns == 0) low_ns = std::max(all[i], 1.0);
    high_ns = all[i + 1];
  }
  if (low_ns == 0) return best;
  const double threshold_ns = std::sqrt(low_ns * high_ns);
  const Errors errors = errors_at(threshold_ns, hits_ns, misses_ns);
  return {threshold_ns, errors.false_miss, errors.false_hit};
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
