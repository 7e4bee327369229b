// SPDX-License-Identifier: MIT
// disk_waits: measures how long this job's own members wait for disks, so that their waits can be distinguished from those of others (policy/pressure.hpp).
//
// A process waits while at least one of its threads is in a call that needs a disk. Nothing is counted before a disk is used whose other
// users are seen by pressure alone.
#pragma once

#include <atomic>
#include <cstdint>

#include "tools/discnice/job/job.hpp"

namespace discnice::guest {

namespace detail {
extern std::atomic<bool> are_waits_counted;
void begin_disk_wait(Job& job);
void end_disk_wait(Job& job);
}  // namespace detail

/// Switches the counting of waits on.
inline void count_disk_waits() {
  detail::are_waits_counted.store(true, std::memory_order_relaxed);
}

inline bool are_disk_waits_counted() {
  return detail::are_waits_counted.load(std::memory_order_relaxed);
}

/// How long all members have waited so far, including waits that are under way. Each member's time is added separately.
std::uint64_t own_stalled_ns(const Job& job, std::uint64_t now_ns);

/// The part of a call in which it may wait for a disk. With a null job nothing is counted.
class DiskWait {
 public:
  explicit DiskWait(Job* job) : job_(job != nullptr && are_disk_waits_counted() ? job : nullptr) {
    if (job_ != nullptr) detail::begin_disk_wait(*job_);
  }
  ~DiskWait() {
    if (job_ != nullptr) detail::end_disk_wait(*job_);
  }
  DiskWait(const DiskWait&) = delete;
  DiskWait& operator=(const DiskWait&) = delete;

 private:
  Job* job_;
};

}  // namespace discnice::guest
