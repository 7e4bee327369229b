// SPDX-License-Identifier: MIT
// try_lock: keeps two threads (or a thread and its signal handler) from changing the same model state at the same time,
// without ever waiting.
//
// A caller that does not get the lock does not use the model for this call. The word has the number of the holder's process image (its epoch). So
// a lock that another thread held at the moment of a fork does not stay locked in the child.
#pragma once

#include <atomic>
#include <cstdint>

namespace discnice::guest {

class TryLock {
 public:
  TryLock(std::atomic<std::uint32_t>& word, std::uint32_t epoch) : word_(word) {
    std::uint32_t held = word.load(std::memory_order_relaxed);
    is_held_ = held != epoch && word.compare_exchange_strong(held, epoch, std::memory_order_acquire);
  }
  ~TryLock() {
    if (is_held_) word_.store(0, std::memory_order_release);  // pairs with the acquire of the next holder
  }
  TryLock(const TryLock&) = delete;
  TryLock& operator=(const TryLock&) = delete;

  explicit operator bool() const { return is_held_; }

 private:
  std::atomic<std::uint32_t>& word_;
  bool is_held_;
};

}  // namespace discnice::guest
