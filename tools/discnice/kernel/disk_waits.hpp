// SPDX-License-Identifier: MIT
// disk_waits: how long this job's own members wait for disks. That time is subtracted to find how long others wait (policy/pressure.hpp).
//
// A process waits while at least one of its threads is in a call that needs a disk. The counting starts when the job first uses a disk whose other users can be seen only by
// the pressure of waiting or by the job's own progress.
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

/// From now on the waits are counted.
inline void count_disk_waits() {
  detail::are_waits_counted.store(true, std::memory_order_relaxed);
}

inline bool are_disk_waits_counted() {
  return detail::are_waits_counted.load(std::memory_order_relaxed);
}

/// The time that all members have waited so far, including waits that are going on now. The times of the members are added up.
std::uint64_t own_stalled_ns(const Job& job, std::uint64_t now_ns);

/// A part of a call in which the call may wait for a disk. When the job is null, nothing is counted.
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
