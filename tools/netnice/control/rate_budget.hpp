// SPDX-License-Identifier: MIT
// rate_budget: holds what moves to a rate, by what has moved: who was let through too much or too little is told another rate until that is made up for.
//
// Pure: the clock is a parameter.
#pragma once

#include <cstdint>

namespace netnice {

class RateBudget {
 public:
  explicit RateBudget(double rate_bytes_per_s) : rate_bytes_per_s_(rate_bytes_per_s) {}

  /// What has moved since the last time.
  void see(std::uint64_t now_ns, std::uint64_t moved_bytes);
  /// What to allow now.
  [[nodiscard]] double allowed_bytes_per_s() const;
  /// For how long nothing may move until what was too much is made up for.
  [[nodiscard]] double debt_s() const { return -owed_bytes_ / rate_bytes_per_s_; }

 private:
  double rate_bytes_per_s_;
  double owed_bytes_ = 0;  // below 0: too much has moved
  std::uint64_t last_ns_ = 0;
};

}  // namespace netnice
