// SPDX-License-Identifier: MIT
// growth: bytes that the kernel has booked to a process or a job, and differences of such sums, which may be below zero.
#pragma once

#include <algorithm>
#include <cstdint>

#include "tools/discnice/processes/kernel_account.hpp"

namespace discnice::pace {

struct Growth {
  std::int64_t read_bytes = 0;
  std::int64_t write_bytes = 0;      // made dirty
  std::int64_t cancelled_bytes = 0;  // of these: removed before they were written

  [[nodiscard]] bool is_any() const { return read_bytes != 0 || write_bytes != 0 || cancelled_bytes != 0; }
  [[nodiscard]] std::int64_t moved_bytes() const { return read_bytes + write_bytes; }

  Growth& operator+=(const Growth& more) {
    read_bytes += more.read_bytes;
    write_bytes += more.write_bytes;
    cancelled_bytes += more.cancelled_bytes;
    return *this;
  }
  Growth& operator-=(const Growth& less) {
    read_bytes -= less.read_bytes;
    write_bytes -= less.write_bytes;
    cancelled_bytes -= less.cancelled_bytes;
    return *this;
  }
  friend Growth operator+(Growth one, const Growth& other) { return one += other; }
  friend Growth operator-(Growth one, const Growth& other) { return one -= other; }
};

/// The smaller value of each member.
inline Growth smaller(const Growth& one, const Growth& other) {
  return {std::min(one.read_bytes, other.read_bytes), std::min(one.write_bytes, other.write_bytes),
          std::min(one.cancelled_bytes, other.cancelled_bytes)};
}

/// The larger value of each member.
inline Growth larger(const Growth& one, const Growth& other) {
  return {std::max(one.read_bytes, other.read_bytes), std::max(one.write_bytes, other.write_bytes),
          std::max(one.cancelled_bytes, other.cancelled_bytes)};
}

inline Growth growth_of(const processes::KernelAccount& account) {
  return {static_cast<std::int64_t>(account.read_bytes), static_cast<std::int64_t>(account.write_bytes),
          static_cast<std::int64_t>(account.cancelled_write_bytes)};
}

}  // namespace discnice::pace
