// SPDX-License-Identifier: MIT
// io_estimate: what the predictor says an operation will make the disk move.
#pragma once

#include <cstdint>

namespace discnice {

/// Bytes the disk will move because of one operation. `refund_bytes` were predicted as written earlier and
/// now never will be (the dirty data was removed before write-back).
struct IoEstimate {
  std::uint64_t read_bytes = 0;
  std::uint64_t write_bytes = 0;
  std::uint64_t refund_bytes = 0;

  /// What the operation adds to the disk's work.
  [[nodiscard]] constexpr std::uint64_t cost_bytes() const { return read_bytes + write_bytes; }
};

}  // namespace discnice
