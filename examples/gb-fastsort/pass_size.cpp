// SPDX-License-Identifier: MIT
#include "examples/gb-fastsort/pass_size.hpp"

#include <algorithm>
#include <cmath>

namespace fastsort {
namespace {

// Of a record's time: the times of passes of equal size sometimes differ by this much.
constexpr double kGainMin = 0.125;

}  // namespace

std::uint64_t worthwhile_bytes(std::uint64_t data_bytes, std::uint64_t unit_bytes) {
  return static_cast<std::uint64_t>(
      std::sqrt(static_cast<double>(data_bytes) * static_cast<double>(unit_bytes)));
}

std::uint64_t PassSize::next(std::uint64_t records_fit, std::uint64_t records_left) const {
  if (tried_records_ != 0) records_fit = std::min(records_fit, tried_records_);
  if (records_fit == 0 || records_left == 0) return 0;
  const std::uint64_t passes = (records_left + records_fit - 1) / records_fit;
  return (records_left + passes - 1) / passes;
}

void PassSize::note(std::uint64_t records, double seconds) {
  if (is_settled_ || records_least_ == 0 || records == 0) return;
  if (!is_warm_) {
    is_warm_ = true;
    return;
  }
  const double record_s = seconds / static_cast<double>(records);
  if (best_records_ != 0 && record_s > best_s_ * (1 - kGainMin)) {
    tried_records_ = best_records_;
    is_settled_ = true;
    return;
  }
  best_records_ = records;
  best_s_ = record_s;
  tried_records_ = records / 2;
  if (tried_records_ >= records_least_) return;
  tried_records_ = records;
  is_settled_ = true;
}

}  // namespace fastsort
