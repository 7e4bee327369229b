// SPDX-License-Identifier: MIT
#include "libgray/src/workingset/knee.hpp"

namespace gray::workingset {
namespace {

constexpr std::size_t kPointsMin = 3;
// The least height of the knee, as a share of the normalised axes. A curve that grows at half its first speed from the middle on has 0.17. A curve that is flat
// from the middle on has 0.5.
constexpr double kHeightMin = 0.2;

}  // namespace

std::optional<std::size_t> find_knee(const std::vector<CurvePoint>& curve) {
  if (curve.size() < kPointsMin || curve.back().touched_bytes == 0) return std::nullopt;
  const auto width = static_cast<double>(curve.back().since_ns);
  const auto height = static_cast<double>(curve.back().touched_bytes);
  double highest = kHeightMin;
  std::optional<std::size_t> knee;
  for (std::size_t i = 0; i < curve.size(); ++i) {
    const double above =
        static_cast<double>(curve[i].touched_bytes) / height - static_cast<double>(curve[i].since_ns) / width;
    if (above <= highest) continue;
    highest = above;
    knee = i;
  }
  return knee;
}

}  // namespace gray::workingset
