// SPDX-License-Identifier: MIT
// lease: by what a holder of shared memory knows that it is still its.
//
// The holder has written itself down in a word. Whoever takes the memory over from a holder that stood still for too long writes something else there,
// and the former holder, should it go on, finds that out before it writes. Between its look and its write it may be stopped again: then one value is
// written into what somebody else works on, which is why everybody checks what it reads.
#pragma once

#include <atomic>
#include <cstdint>

#include "toolbox/base/read_once.hpp"

namespace discnice {

class Lease {
 public:
  /// Of memory that nobody else has.
  Lease() = default;
  Lease(const std::atomic<std::uint64_t>& holder, std::uint64_t written)
      : holder_(&holder), written_(written) {}

  [[nodiscard]] bool is_held() const {
    return holder_ == nullptr || holder_->load(std::memory_order_relaxed) == written_;
  }

  /// Stores a value, unless the memory was taken over.
  template <typename T>
  void write(T& shared, std::type_identity_t<T> value) const {
    if (is_held()) gray::base::write_once(shared, value);
  }

 private:
  const std::atomic<std::uint64_t>* holder_ = nullptr;
  std::uint64_t written_ = 0;
};

}  // namespace discnice
