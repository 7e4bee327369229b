// SPDX-License-Identifier: MIT
// lease: how a process that holds shared memory knows that it still holds it.
//
// The holder writes its own mark into a word. A holder may stand still for too long; then another process takes the memory over and writes its mark
// there. When the former holder goes on, it finds the other mark before it writes. It may be stopped once more between that look and its write. Then it
// writes one value into memory that somebody else works on. For that reason every reader checks what it reads.
#pragma once

#include <atomic>
#include <cstdint>

#include "toolbox/base/read_once.hpp"

namespace discnice {

class Lease {
 public:
  /// A lease on memory that nobody else uses.
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
