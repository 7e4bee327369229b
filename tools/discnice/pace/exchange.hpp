// SPDX-License-Identifier: MIT
// exchange: the data that the pacer exchanges with the code that sees calls before they are made (notify/).
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <set>

#include <sys/types.h>

#include "tools/discnice/pace/growth.hpp"

namespace discnice::pace {

/// Several threads may use one object.
class Exchange {
 public:
  /// Notes that the pacer holds this process, or no longer holds it.
  void note(pid_t pid, bool is_held) {
    const std::lock_guard lock(mutex_);
    if (is_held)
      held_.insert(pid);
    else
      held_.erase(pid);
  }
  [[nodiscard]] bool is_held(pid_t pid) {
    const std::lock_guard lock(mutex_);
    return held_.count(pid) != 0;
  }

  /// Adds bytes that this process has read ahead for the job's calls, and that are paid already. No account of the job's processes contains
  /// these bytes.
  void add_read(std::int64_t bytes) { read_bytes_.fetch_add(bytes, std::memory_order_relaxed); }
  [[nodiscard]] Growth moved() const { return {read_bytes_.load(std::memory_order_relaxed), 0, 0}; }

 private:
  std::mutex mutex_;
  std::set<pid_t> held_;  // protected by the mutex
  std::atomic<std::int64_t> read_bytes_{0};
};

}  // namespace discnice::pace
