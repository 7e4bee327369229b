// SPDX-License-Identifier: MIT
// lease: tells a process that holds shared memory whether it still holds that memory.
//
// The holder writes its own mark into a word. When a holder stands still for too long, another process takes the memory over and writes its own mark
// into the word. When the former holder goes on, it looks at the mark before it writes, and finds the other mark. It may be stopped once more between
// that look and its write. Then it writes one value into memory on which another process works. For that reason every reader checks what it reads.
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
