// SPDX-License-Identifier: MIT
// exchange: the facts that the pacer and the code that sees calls in advance (notify/) tell each other.
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
  /// Notes that the pacer holds that process, or that it does not hold it any more.
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

  /// How many bytes the launcher has read in advance for the job's calls, and has paid for. They are in the account of no process of the job.
  void add_read(std::int64_t bytes) { read_bytes_.fetch_add(bytes, std::memory_order_relaxed); }
  [[nodiscard]] Growth moved() const { return {read_bytes_.load(std::memory_order_relaxed), 0, 0}; }

 private:
  std::mutex mutex_;
  std::set<pid_t> held_;  // under the mutex
  std::atomic<std::int64_t> read_bytes_{0};
};

}  // namespace discnice::pace
