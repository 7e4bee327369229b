// SPDX-License-Identifier: MIT
// knee: finds where a curve of memory over time bends. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace gray::workingset {

struct CurvePoint {
  std::uint64_t since_ns;
  std::uint64_t touched_bytes;
};

/// The index of the point that lies farthest above the straight line from the origin to the last point, with both axes scaled to the same length ("kneedle", Satopaa et al.
/// 2011). since_ns grows from point to point. Empty if there are less than three points, or if no point lies clearly above that line.
std::optional<std::size_t> find_knee(const std::vector<CurvePoint>& curve);

}  // namespace gray::workingset
