// SPDX-License-Identifier: MIT
// rate_budget: holds traffic to a rate by the bytes that have moved. When too much or too little has moved, another rate is allowed until the difference is made up for.
//
// Pure: the clock is a parameter.
#pragma once

#include <cstdint>

namespace netnice {

class RateBudget {
 public:
  explicit RateBudget(double rate_bytes_per_s) : rate_bytes_per_s_(rate_bytes_per_s) {}

  /// Adds the bytes that have moved since the last call.
  void see(std::uint64_t now_ns, std::uint64_t moved_bytes);
  /// The rate that is allowed now.
  [[nodiscard]] double allowed_bytes_per_s() const;
  /// The time for which nothing may move, so that the excess is made up for.
  [[nodiscard]] double debt_s() const { return -owed_bytes_ / rate_bytes_per_s_; }

 private:
  double rate_bytes_per_s_;
  double owed_bytes_ = 0;  // below 0: more has moved than the rate allows
  std::uint64_t last_ns_ = 0;
};

}  // namespace netnice
