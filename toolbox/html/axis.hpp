// SPDX-License-Identifier: MIT
// axis: maps values to places along one side of a picture, and chooses the round values that are written there.
#pragma once

#include <string>
#include <vector>

namespace gray::html {

/// The quantity along an axis. It decides which values are round, and how they are written.
enum class Quantity { count, per_second, bytes, bytes_per_s, time_ns, number };

struct Axis {
  Quantity quantity = Quantity::count;
  bool is_log = false;
  double low = 0;
  double high = 1;

  /// 0 at `low`, 1 at `high`. Pure.
  [[nodiscard]] double place(double value) const;
};

/// About five round values between the ends, ascending. Pure.
std::vector<double> round_values(const Axis& axis);

/// "10 s", "4 KiB": a value as it is written at an axis. Pure.
std::string label(double value, Quantity quantity);

}  // namespace gray::html
