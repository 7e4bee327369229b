// SPDX-License-Identifier: MIT
// knee: where a curve of memory over time bends. Pure.
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

/// The number of the point that lies farthest above the straight line from the origin to the last one, both axes taken to the same length ("kneedle", Satopaa et al.
/// 2011). since_ns grows from point to point. Nothing: less than three points, or none lies clearly above that line.
std::optional<std::size_t> find_knee(const std::vector<CurvePoint>& curve);

}  // namespace gray::workingset
