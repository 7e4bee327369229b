// SPDX-License-Identifier: MIT
// io_estimate: the bytes that the disk will move for an operation, by the predictor.
#pragma once

#include <cstdint>

namespace discnice {

/// The bytes that the disk will move because of one operation. `refund_bytes` were predicted as written earlier and will never be written, because
/// the dirty data was removed before its write-back.
struct IoEstimate {
  std::uint64_t read_bytes = 0;
  std::uint64_t write_bytes = 0;
  std::uint64_t refund_bytes = 0;

  /// The disk work that the operation adds.
  [[nodiscard]] constexpr std::uint64_t cost_bytes() const { return read_bytes + write_bytes; }
};

}  // namespace discnice
