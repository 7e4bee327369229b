// SPDX-License-Identifier: MIT
#include "toolbox/base/streaming_stats.hpp"

#include <algorithm>
#include <cmath>

namespace gray::base {
namespace {

constexpr double kProbabilityLeast = 1e-9;

}  // namespace

bool StreamingStats::add(double value) {
  if (!std::isfinite(value)) return false;
  min_ = count_ == 0 ? value : std::min(min_, value);
  max_ = count_ == 0 ? value : std::max(max_, value);
  ++count_;
  const double before = value - mean_;
  mean_ += before / static_cast<double>(count_);
  squares_ += before * (value - mean_);
  return true;
}

double StreamingStats::variance() const {
  return count_ < 2 ? 0 : squares_ / static_cast<double>(count_ - 1);
}

StreamingQuantile::StreamingQuantile(double probability)
    : probability_(std::clamp(probability, kProbabilityLeast, 1 - kProbabilityLeast)) {
  const double p = probability_;
  const double wishes[kMarkers] = {1, 1 + 2 * p, 1 + 4 * p, 3 + 2 * p, 5};
  std::copy(wishes, wishes + kMarkers, wishes_);
}

bool StreamingQuantile::add(double value) {
  if (!std::isfinite(value)) return false;
  if (count_ < kMarkers) {
    insert_sorted(value);
    return true;
  }
  heights_[0] = std::min(heights_[0], value);
  heights_[kMarkers - 1] = std::max(heights_[kMarkers - 1], value);
  for (int i = 1; i < kMarkers; ++i) {
    if (i == kMarkers - 1 || value < heights_[i]) places_[i] += 1;
  }
  const double steps[kMarkers] = {0, probability_ / 2, probability_, (1 + probability_) / 2, 1};
  for (int i = 0; i < kMarkers; ++i) wishes_[i] += steps[i];
  ++count_;
  move_markers();
  return true;
}

double StreamingQuantile::value() const {
  if (count_ == 0) return 0;
  if (count_ > kMarkers) return heights_[kMarkers / 2];
  // Nearest rank: rounded up, counted from one.
  const double rank = probability_ * static_cast<double>(count_);
  auto index = static_cast<std::uint64_t>(rank);
  if (static_cast<double>(index) == rank) --index;
  return heights_[std::min(index, count_ - 1)];
}

void StreamingQuantile::insert_sorted(double value) {
  auto i = static_cast<int>(count_++);
  for (; i > 0 && heights_[i - 1] > value; --i) heights_[i] = heights_[i - 1];
  heights_[i] = value;
}

// Moves each inner marker by one rank when it is a whole rank away from its wanted place, and when there is a free rank
// between its neighbours.
void StreamingQuantile::move_markers() {
  for (int i = 1; i < kMarkers - 1; ++i) {
    const double away = wishes_[i] - places_[i];
    const bool goes_up = away >= 1 && places_[i + 1] - places_[i] > 1;
    const bool goes_down = away <= -1 && places_[i - 1] - places_[i] < -1;
    if (!goes_up && !goes_down) continue;
    const int step = goes_up ? 1 : -1;
    const double height = parabola(i, step);
    const bool is_between = heights_[i - 1] < height && height < heights_[i + 1];
    heights_[i] = is_between ? height : line(i, step);
    places_[i] += step;
  }
}

double StreamingQuantile::parabola(int marker, double step) const {
  const double below = places_[marker] - places_[marker - 1];
  const double above = places_[marker + 1] - places_[marker];
  const double slope_below = (heights_[marker] - heights_[marker - 1]) / below;
  const double slope_above = (heights_[marker + 1] - heights_[marker]) / above;
  return heights_[marker] +
         step / (below + above) * ((below + step) * slope_above + (above - step) * slope_below);
}

double StreamingQuantile::line(int marker, int step) const {
  const double rise = heights_[marker + step] - heights_[marker];
  return heights_[marker] + step * rise / (places_[marker + step] - places_[marker]);
}

}  // namespace gray::base
