// SPDX-License-Identifier: MIT
// timer: the project's clock (toolbox/base/clock), the cost of one reading, and the step by which the clock advances.
//
// The processor's own counter is not used directly. The counter is reliable only if the kernel uses it for its own time. In that case the vDSO already reads
// it, in order, at the same cost. `script/bench microbench` measures both (docs/results.md).
#pragma once

#include <cstdint>

#include "toolbox/base/clock.hpp"

namespace gray::timing {

/// A timer never changes, so any number of threads may use one, also after a fork.
class Timer {
 public:
  /// Measures the cost and the step. Usually takes less than a millisecond.
  Timer();

  /// Nanoseconds since an unspecified start. The value never goes back, and is the same for every process of the machine.
  [[nodiscard]] static std::uint64_t now_ns() { return base::monotonic_ns(); }

  /// Nanoseconds since an earlier now_ns(), including the cost of one reading. Never negative.
  [[nodiscard]] static double ns_since(std::uint64_t start_ns) {
    const std::uint64_t end_ns = now_ns();
    return end_ns > start_ns ? static_cast<double>(end_ns - start_ns) : 0;
  }

  [[nodiscard]] double cost_ns() const { return cost_ns_; }  ///< The median cost of one now_ns().
  [[nodiscard]] double resolution_ns() const {
    return resolution_ns_;
  }  ///< The step by which the clock advances.

 private:
  double cost_ns_ = 0;
  double resolution_ns_ = 0;
};

}  // namespace gray::timing
