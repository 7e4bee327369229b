// SPDX-License-Identifier: MIT
// io_estimate: how many bytes the disk will move for an operation, as predicted.
#pragma once

#include <cstdint>

namespace discnice {

/// How many bytes the disk will move because of one operation. `refund_bytes` were predicted as written earlier and will never be written, because the dirty data was removed
/// before write-back.
struct IoEstimate {
  std::uint64_t read_bytes = 0;
  std::uint64_t write_bytes = 0;
  std::uint64_t refund_bytes = 0;

  /// How many bytes the operation adds to the disk's work.
  [[nodiscard]] constexpr std::uint64_t cost_bytes() const { return read_bytes + write_bytes; }
};

}  // namespace discnice
