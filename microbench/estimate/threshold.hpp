// SPDX-License-Identifier: MIT
// threshold: finds the time that separates hits from misses best, and how often it errs. Pure.
//
// Every measured time is tried as a threshold (the points of a ROC curve). The best threshold has the smallest sum of both error shares (Youden's index). When
// a range of thresholds is equally good, the geometric middle of the range is taken, because both kinds of times scatter by factors.
#pragma once

#include <vector>

namespace microbench::estimate {

struct Threshold {
  double threshold_ns = 0;      ///< A read that took longer counts as a miss.
  double false_miss_share = 0;  ///< The share of the hits that are slower.
  double false_hit_share = 0;   ///< The share of the misses that are not slower.
};

/// All fields are zero if there are no hits or no misses.
Threshold best_threshold(std::vector<double> hits_ns, std::vector<double> misses_ns);

/// One bin of a histogram. Each bin is wider than the last by the square root of two. Bins are ascending, and empty bins are left out. Bounds are rounded to whole nanoseconds.
struct Bin {
  unsigned long long low_ns;
  double count;
};
std::vector<Bin> histogram(const std::vector<double>& times_ns);

}  // namespace microbench::estimate
