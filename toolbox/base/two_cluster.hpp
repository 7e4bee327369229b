// SPDX-License-Identifier: MIT
// two_cluster: the best split of one-dimensional values into a low and a high group, and whether there are
// two.
//
// Knowledge assumed: times of one operation on this host come from one of two mechanisms (a copy from memory,
// a
//   transfer from a device), each with a spread of its own; a single mechanism may have a long upper tail.
// Output observed: the values of one sample, nothing else: neither count nor place of the groups is known
// before. Inference drawn: the split with the least within-group sum of squares is exact, for in one
// dimension the groups of an
//   optimal split are contiguous in sorted order (W. D. Fisher, "On Grouping for Maximum Homogeneity", 1958),
//   so one pass over prefix sums tries all of them. A best split exists for every sample, so it proves
//   nothing; two groups are believed only if both of these hold (constants in two_cluster.cpp):
//   - valley: the empty gap between the groups is wide against their spreads (`separation`), the more so the
//   fewer
//     the values, for a few values of one mode leave wide gaps by chance;
//   - tail: the smaller group is not merely the end of the larger one's tail. In a power-law tail of index a,
//   all m
//     outermost values lie r times as far as the rest with probability r^(-a m); so r^m must be large, where
//     r is 1 + gap / width of the larger group. A lone value must be far; a dozen need not be.
// What breaks it: a lone hiccup as far away as a device is taken for a group of one, so callers repeat
// probes;
//   power-law tails of index about one; groups that overlap (they are called one); fewer than about a dozen
//   values, where groups must be very clean; groups of unequal scale: the best split lies midway between the
//   means, which cuts into a wide group far out. Times that span orders of magnitude are therefore passed as
//   logarithms, so that a hit of 1 us and a miss of 100 us have spreads of the same kind.
#pragma once

#include <cstddef>

namespace gray::base {

/// The best split of a sample. Means, spreads, gap and threshold are in the unit of the values.
struct TwoClusterSplit {
  double threshold = 0;        ///< midway between the groups; a value above it belongs to the high group
  std::size_t low_count = 0;   ///< all finite values when they are equal; 0 when there is none
  std::size_t high_count = 0;  ///< 0 when fewer than two different values were given
  double low_mean = 0;         ///< 0 when there is no value
  double high_mean = 0;        ///< equals low_mean when high_count is 0
  double low_spread = 0;       ///< mean absolute deviation from low_mean
  double high_spread = 0;      ///< mean absolute deviation from high_mean
  double gap = 0;              ///< smallest high value less largest low value
  double separation =
      0;  ///< gap / (low_spread + high_spread + resolution), infinite when that is 0; 0 without a split
  double explained_share = 0;  ///< between-group share of the sum of squares, 0 to 1
  bool is_bimodal = false;     ///< the two groups are real by the criterion above
};

/// Finds the split of `count` values with the least within-group sum of squares, exactly, and judges it.
/// Sorts `values` in place (the finite ones first, ascending); values that are not finite are left out. Of
/// equally good splits the one with the lowest threshold is given. `resolution` is the least difference that
/// means anything (the step of the clock; 0 if values are exact): a gap must be wide against it too, so that
/// 25, 25, 25, 26 ns are one group. O(count log count); no allocation, no lock, no errno; any thread, any
/// number at once on different buffers.
TwoClusterSplit split_two_clusters(double* values, std::size_t count, double resolution = 0);

}  // namespace gray::base
