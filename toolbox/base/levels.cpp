// SPDX-License-Identifier: MIT
#include "toolbox/base/levels.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace gray::base {
namespace {

// Times are put into bins. Each factor of two has the same number of bins, all of equal width.
constexpr unsigned kBinBits = 5;
constexpr std::size_t kBinsPerOctave = 1U << kBinBits;
constexpr std::size_t kOctaves = 44;  // five hours
constexpr std::size_t kBins = kOctaves * kBinsPerOctave;
constexpr unsigned kMantissaBits = 52;
constexpr std::uint64_t kExponentOfOne = 1023;

// Calibrated on seeded samples of uniform, normal, exponential and lognormal times: see tests/unit/toolbox/levels_test.cpp, which holds the error rates.
// The unit is an octave. A level never counts as narrower than a tenth of its time.
constexpr double kSpreadMin = 0.15;
// The least gap between two large groups, divided by the sum of their spreads.
constexpr double kSeparationMin = 1.0;
// For two groups with n times in total, the gap must be wider by this number divided by n.
constexpr double kSeparationSmall = 20.0;
constexpr double kOctavesApartMin = 1.0;  // between medians
constexpr std::size_t kCountMin = 3;      // fewer times are no level
constexpr double kTailOctaves =
    10;  // the least g n: in a tail of index one, all n outermost times are farther by a factor of 2^g with probability 2^(-g n)
constexpr double kStragglers =
    0.2;  // the largest count of stragglers, as a share of the neighbour's count: for instance files in the disk's own buffer, beside the shortest times of the disk
// The share of the smaller group's count that may lie in the gap on either side.
constexpr double kTail = 0.02;

// The bits of a floating-point number are its logarithm, piecewise linear.
std::size_t bin_of(std::uint64_t time_ns) {
  const auto bits = std::bit_cast<std::uint64_t>(static_cast<double>(time_ns));
  const std::uint64_t bin = (bits >> (kMantissaBits - kBinBits)) - (kExponentOfOne << kBinBits);
  return std::min<std::size_t>(bin, kBins - 1);
}

// The time at a place on the scale of bins; with a fraction of one half, the middle of a bin.
double time_at(double bin) {
  const double octave = std::floor(bin / kBinsPerOctave);
  return std::exp2(octave) * (1 + bin / kBinsPerOctave - octave);
}

double octaves_at(std::size_t bin) {
  return std::log2(time_at(static_cast<double>(bin) + 0.5));
}

// The bins that have times in them, ascending. Each has the sums over all bins before it.
struct Histogram {
  std::array<std::size_t, kBins> bin;
  std::array<double, kBins> octaves;
  std::array<double, kBins + 1> count_before;
  std::array<double, kBins + 1> sum_before;
  std::array<double, kBins + 1> squares_before;
  std::size_t size = 0;

  [[nodiscard]] double count(std::size_t begin, std::size_t end) const {
    return count_before[end] - count_before[begin];
  }
  [[nodiscard]] double all() const { return count_before[size]; }
};

using Counts = std::array<std::uint32_t, kBins>;

// Moves all times in the bins up to `last` into the bin of their median.
void gather(Counts& counts, std::size_t last) {
  std::uint64_t all = 0;
  for (std::size_t bin = 0; bin <= last; ++bin) all += counts[bin];
  if (all == 0) return;
  std::size_t middle = 0;
  for (std::uint64_t before = counts[0]; 2 * before < all; before += counts[middle]) ++middle;
  std::fill(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(last) + 1, 0);
  counts[middle] = static_cast<std::uint32_t>(all);
}

void fill(Histogram& histogram, const std::uint64_t* times_ns, std::size_t count, std::uint64_t alike_ns) {
  Counts counts{};
  for (std::size_t i = 0; i < count; ++i)
    if (times_ns[i] != 0) ++counts[bin_of(times_ns[i])];
  if (alike_ns != 0) gather(counts, bin_of(alike_ns));
  histogram.count_before[0] = histogram.sum_before[0] = histogram.squares_before[0] = 0;
  std::size_t& size = histogram.size;
  for (std::size_t bin = 0; bin < kBins; ++bin) {
    if (counts[bin] == 0) continue;
    const double octaves = octaves_at(bin);
    histogram.bin[size] = bin;
    histogram.octaves[size] = octaves;
    histogram.count_before[size + 1] = histogram.count_before[size] + counts[bin];
    histogram.sum_before[size + 1] = histogram.sum_before[size] + counts[bin] * octaves;
    histogram.squares_before[size + 1] = histogram.squares_before[size] + counts[bin] * octaves * octaves;
    ++size;
  }
}

// The description length, in units of log e, of bins [begin, end) as one normal distribution. The part that all divisions share is left out.
double description_of(const Histogram& histogram, std::size_t begin, std::size_t end) {
  const double count = histogram.count(begin, end);
  const double mean = (histogram.sum_before[end] - histogram.sum_before[begin]) / count;
  const double squares = (histogram.squares_before[end] - histogram.squares_before[begin]) / count;
  const double variance = std::max(squares - mean * mean, 0.0) + kSpreadMin * kSpreadMin;
  const double all = histogram.all();
  return count * (std::log(variance) / 2 - std::log(count / all)) + 1.5 * std::log(all);
}

// Bins [begin, end), of which [core_begin, core_end) are the group's core. The other bins are stragglers.
struct Group {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t core_begin = 0;
  std::size_t core_end = 0;
};

// Groups in ascending order, without gaps.
struct Division {
  std::array<Group, kBins> group;
  std::size_t count = 0;
};

void divide_best(const Histogram& histogram, Division& division) {
  std::array<double, kBins + 1> least;
  std::array<std::size_t, kBins + 1> last_begin;
  least[0] = 0;
  for (std::size_t end = 1; end <= histogram.size; ++end) {
    least[end] = std::numeric_limits<double>::infinity();
    for (std::size_t begin = 0; begin < end; ++begin) {
      const double length = least[begin] + description_of(histogram, begin, end);
      if (length >= least[end]) continue;
      least[end] = length;
      last_begin[end] = begin;
    }
  }
  for (std::size_t end = histogram.size; end > 0; end = last_begin[end])
    division.group[division.count++] = {last_begin[end], end, last_begin[end], end};
  std::reverse(division.group.begin(), division.group.begin() + static_cast<std::ptrdiff_t>(division.count));
}

double count_of(const Histogram& histogram, const Group& group) {
  return histogram.count(group.core_begin, group.core_end);
}

// The place, in octaves, below which that share of the group lies.
double quantile(const Histogram& histogram, const Group& group, double share) {
  const double wanted = histogram.count_before[group.core_begin] + share * count_of(histogram, group);
  std::size_t at = group.core_begin;
  while (at + 1 < group.core_end && histogram.count_before[at + 1] <= wanted) ++at;
  return histogram.octaves[at];
}

double median_of(const Histogram& histogram, const Group& group) {
  return quantile(histogram, group, 0.5);
}

// Mean distance from the median.
double spread_of(const Histogram& histogram, const Group& group) {
  const double median = median_of(histogram, group);
  double sum = 0;
  for (std::size_t i = group.core_begin; i < group.core_end; ++i)
    sum += histogram.count(i, i + 1) * std::abs(histogram.octaves[i] - median);
  return sum / count_of(histogram, group);
}

// The ratio of the gap between two neighbouring groups to the least gap. Below 1 the two are one group. A few access times that lie in the gap by chance do not
// close the gap.
double separation_of(const Histogram& histogram, const Group& low, const Group& high) {
  const double low_count = count_of(histogram, low);
  const double high_count = count_of(histogram, high);
  const double tail = kTail * std::min(low_count, high_count);
  if (std::min(low_count, high_count) < kCountMin) return 0;
  if (median_of(histogram, high) - median_of(histogram, low) < kOctavesApartMin) return 0;
  const double gap =
      quantile(histogram, high, tail / high_count) - quantile(histogram, low, 1 - tail / low_count);
  if (gap * std::min(low_count, high_count) < kTailOctaves) return 0;
  const double spreads = spread_of(histogram, low) + spread_of(histogram, high) + kSpreadMin;
  return gap / spreads / (kSeparationMin + kSeparationSmall / (low_count + high_count));
}

// A few times near a large group are stragglers of that group, and do not make the group wider.
Group joined(const Histogram& histogram, const Group& low, const Group& high) {
  Group group{low.begin, high.end, low.core_begin, high.core_end};
  const double low_count = count_of(histogram, low);
  const double high_count = count_of(histogram, high);
  if (low_count <= kStragglers * high_count) group.core_begin = high.core_begin;
  if (high_count <= kStragglers * low_count) group.core_end = low.core_end;
  return group;
}

// Stragglers belong to the nearer neighbour. The smaller group of the pair that begins at `first` may be nearer to the group on its other side.
std::size_t nearer_pair(const Histogram& histogram, const Division& division, std::size_t first) {
  const auto& group = division.group;
  const auto gap_after = [&](std::size_t i) {
    return histogram.octaves[group[i + 1].core_begin] - histogram.octaves[group[i].core_end - 1];
  };
  const bool is_low_smaller = count_of(histogram, group[first]) < count_of(histogram, group[first + 1]);
  if (is_low_smaller && first > 0 && gap_after(first - 1) < gap_after(first)) return first - 1;
  if (!is_low_smaller && first + 2 < division.count && gap_after(first + 1) < gap_after(first))
    return first + 1;
  return first;
}

// Joins the worst divided neighbours first: after two groups are joined, the next group may lie apart from them.
void join_neighbours(const Histogram& histogram, Division& division) {
  auto& group = division.group;
  while (division.count > 1) {
    std::size_t worst = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i + 1 < division.count; ++i) {
      const double separation = separation_of(histogram, group[i], group[i + 1]);
      if (separation >= least) continue;
      least = separation;
      worst = i;
    }
    if (least >= 1 && division.count <= kLevelsMax) return;
    worst = nearer_pair(histogram, division, worst);
    group[worst] = joined(histogram, group[worst], group[worst + 1]);
    std::copy(group.begin() + static_cast<std::ptrdiff_t>(worst) + 2,
              group.begin() + static_cast<std::ptrdiff_t>(division.count),
              group.begin() + static_cast<std::ptrdiff_t>(worst) + 1);
    --division.count;
  }
}

std::uint64_t whole_ns(double time) {
  return static_cast<std::uint64_t>(std::llround(time));
}

}  // namespace

Levels find_levels(const std::uint64_t* times_ns, std::size_t count, std::uint64_t alike_ns) {
  Levels levels;
  Histogram histogram;
  fill(histogram, times_ns, count, alike_ns);
  if (histogram.size == 0) return levels;
  Division division;
  divide_best(histogram, division);
  join_neighbours(histogram, division);
  for (std::size_t i = 0; i < division.count; ++i) {
    const Group& group = division.group[i];
    Level& level = levels.level[levels.count++];
    level.count = static_cast<std::size_t>(histogram.count(group.begin, group.end));
    level.median_ns = whole_ns(std::exp2(median_of(histogram, group)));
    level.low_ns = whole_ns(time_at(static_cast<double>(histogram.bin[group.begin])));
    const bool is_last = i + 1 == division.count;
    // The geometric middle between this group and the next one.
    level.high_ns =
        is_last ? std::numeric_limits<std::uint64_t>::max()
                : whole_ns(std::exp2((histogram.octaves[group.end - 1] + histogram.octaves[group.end]) / 2));
  }
  return levels;
}

}  // namespace gray::base
