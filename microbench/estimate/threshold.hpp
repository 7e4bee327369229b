// SPDX-License-Identifier: MIT
// threshold: the time that best distinguishes hits from misses, and how often it is wrong. Pure.
//
// Every time seen is tried as a threshold (the points of a ROC curve); the best has the smallest sum of both error
// shares (Youden's index). Between the largest hit and the smallest miss it could lie anywhere: the middle on the scale
// of ratios is taken, since both kinds scatter by factors.
#pragma once

#include <vector>

namespace microbench::estimate {

struct Threshold {
  double threshold_ns = 0;      ///< A read that took longer was a miss.
  double false_miss_share = 0;  ///< Of the hits, how many are slower.
  double false_hit_share = 0;   ///< Of the misses, how many are not.
};

/// All values are zero if either sample is empty.
Threshold best_threshold(std::vector<double> hits_ns, std::vector<double> misses_ns);

/// Counts by powers of two times the square root of two: pairs of a lower bound in ns and a count, ascending, without
/// empty ones. Bounds are rounded to whole nanoseconds.
struct Bin {
  unsigned long long low_ns;
  double count;
};
std::vector<Bin> histogram(const std::vector<double>& times_ns);

}  // namespace microbench::estimate
