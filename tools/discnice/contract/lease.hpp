// SPDX-License-Identifier: MIT
// lease: tells a process that holds shared memory whether it still holds that memory.
//
// The holder writes its own mark into a word. When a holder does not run for too long, another process takes the memory over and writes its own mark
// into the word. When the former holder runs again, it reads the mark before it writes, and finds the other mark. The former holder may be stopped
// again between this check and its write. Then it writes one value into memory that another process uses. For this reason every reader checks the
// values that it reads.
#pragma once

#include <atomic>
#include <cstdint>

#include "toolbox/base/read_once.hpp"

namespace discnice {

class Lease {
 public:
  /// A lease of memory that no other process has.
  Lease() = default;
  Lease(const std::atomic<std::uint64_t>& holder, std::uint64_t written)
      : holder_(&holder), written_(written) {}

  [[nodiscard]] bool is_held() const {
    return holder_ == nullptr || holder_->load(std::memory_order_relaxed) == written_;
  }

  /// Stores a value, unless another process has taken the memory over.
  template <typename T>
  void write(T& shared, std::type_identity_t<T> value) const {
    if (is_held()) gray::base::write_once(shared, value);
  }

 private:
  const std::atomic<std::uint64_t>* holder_ = nullptr;
  std::uint64_t written_ = 0;
};

}  // namespace discnice
