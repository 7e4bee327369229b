// SPDX-License-Identifier: MIT
// curve: how the points of a curve are written as keys of the repository.
//
// A point is an ordinary parameter, so that one file holds all values and is replaced as a whole:
// "disk.seek_curve.x1048576_ns" is the curve "disk.seek_curve" at 1048576, in nanoseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace microbench {

struct CurvePoint {
  std::string curve;
  std::uint64_t x = 0;
};

/// "CURVE.xX_UNIT", the unit of a rate is written without its slash. Pure.
std::string point_key(std::string_view curve, std::uint64_t x, std::string_view unit);

/// No value if `key` is not a point. Pure.
std::optional<CurvePoint> parse_point(std::string_view key);

}  // namespace microbench
