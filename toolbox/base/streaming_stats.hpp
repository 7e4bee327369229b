// SPDX-License-Identifier: MIT
// streaming_stats: mean, variance, extremes and one quantile of a stream of values, in constant memory.
//
// This file is for code inside the program that loads the library. Such code may keep no samples. For statistics of samples that are kept see
// toolbox/stats.
#pragma once

#include <cstdint>

namespace gray::base {

/// Count, mean, variance and extremes of the values added so far, in their unit.
/// Welford's update (B. P. Welford, "Note on a Method for Calculating Corrected Sums of Squares and
/// Products", 1962), which does not cancel when the mean is large against the deviation. Plain data:
/// copyable, valid when zeroed, one thread at a time.
class StreamingStats {
 public:
  /// Adds one value. A value that is not finite is refused: false, and nothing changes.
  bool add(double value);

  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// 0 if no value was added; then min and max are 0, too.
  [[nodiscard]] double mean() const { return mean_; }
  [[nodiscard]] double min() const { return min_; }
  [[nodiscard]] double max() const { return max_; }
  /// Variance of the sample (divided by count - 1), in the square of the unit; 0 below two values. The caller takes the square root, for libc without libm has none.
  [[nodiscard]] double variance() const;

 private:
  std::uint64_t count_ = 0;
  double mean_ = 0;
  double squares_ = 0;  // sum of squared deviations from the mean
  double min_ = 0;
  double max_ = 0;
};

/// An estimate of one quantile from five moving markers: the P2 algorithm (R. Jain and I. Chlamtac, "The P2
/// Algorithm for Dynamic Calculation of Quantiles and Histograms Without Storing Observations", 1985). Exact
/// (nearest rank) up to five values. What breaks it: a stream that drifts, because old values are never forgotten.
/// Copyable; one thread at a time.
class StreamingQuantile {
 public:
  /// probability is between 0 and 1, both excluded (0.5 is the median); it is clamped to that.
  explicit StreamingQuantile(double probability);

  /// Adds one value. A value that is not finite is refused: false, and nothing changes.
  bool add(double value);

  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// 0 when nothing was added.
  [[nodiscard]] double value() const;

 private:
  static constexpr int kMarkers = 5;

  void insert_sorted(double value);
  void move_markers();
  [[nodiscard]] double parabola(int marker, double step) const;
  [[nodiscard]] double line(int marker, int step) const;

  double probability_;
  std::uint64_t count_ = 0;
  double heights_[kMarkers] = {};              // estimates at the markers, ascending
  double places_[kMarkers] = {1, 2, 3, 4, 5};  // ranks of the markers
  double wishes_[kMarkers] = {};               // where the ranks ought to be
};

}  // namespace gray::base
