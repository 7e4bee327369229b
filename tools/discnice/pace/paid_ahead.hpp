// SPDX-License-Identifier: MIT
// paid_ahead: what was done for the job before the calls that it is for. Written by who sees calls before they are made (notify/), read by the pacer.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "tools/discnice/pace/growth.hpp"

namespace discnice::pace {

/// Several threads may use one.
class PaidAhead {
 public:
  /// Bytes that this process has moved for the job: they are in none of its processes' accounts.
  void add_moved(const Growth& moved) {
    read_bytes_.fetch_add(moved.read_bytes, std::memory_order_relaxed);
    write_bytes_.fetch_add(moved.write_bytes, std::memory_order_relaxed);
  }
  [[nodiscard]] Growth moved() const {
    return {read_bytes_.load(std::memory_order_relaxed), write_bytes_.load(std::memory_order_relaxed), 0};
  }

  /// A write that is about to be made was charged to the job.
  void add_write(std::uint64_t bytes) {
    unseen_write_bytes_.fetch_add(static_cast<std::int64_t>(bytes), std::memory_order_relaxed);
  }
  /// Of writes that the kernel has booked: how many bytes are charged already. One thread.
  std::int64_t take_writes(std::int64_t booked_bytes) {
    const std::int64_t paid = std::clamp<std::int64_t>(unseen_write_bytes_.load(std::memory_order_relaxed), 0,
                                                       std::max<std::int64_t>(booked_bytes, 0));
    unseen_write_bytes_.fetch_sub(paid, std::memory_order_relaxed);
    return paid;
  }

 private:
  std::atomic<std::int64_t> read_bytes_{0};
  std::atomic<std::int64_t> write_bytes_{0};
  std::atomic<std::int64_t> unseen_write_bytes_{0};
};

}  // namespace discnice::pace
