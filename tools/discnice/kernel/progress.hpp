// SPDX-License-Identifier: MIT
// progress: the durations of this job's own calls that needed a disk. They are used for disks where nothing else tells of other users
// (policy/manners.hpp).
//
// It measures three kinds of calls. The first kind is reads that were predicted to need the disk, and the reads after them, which may wait for read-ahead. The second kind is
// calls on names that took long enough to have waited for the disk. The third kind is flushes of far_writes. The time in which the thread waited for a processor is subtracted,
// because the disk does not cause it. Writes are not measured: they wait for memory, for a time that the kernel decides. When several members make calls at once, the time is
// divided among them, because the members slow each other down.
#pragma once

#include <cstdint>

#include "toolbox/base/clock.hpp"
#include "tools/discnice/contract/grant.hpp"
#include "tools/discnice/contract/job_progress.hpp"
#include "tools/discnice/job/job.hpp"
#include "tools/discnice/kernel/disk_waits.hpp"
#include "tools/discnice/protocol/layout.hpp"

namespace discnice::guest {

/// A call under way that will be measured. When the disk is null, the call is not measured.
struct TellingCall {
  protocol::Disk* disk = nullptr;
  CallKind kind = CallKind::read_on;
  std::uint64_t began_ns = 0;
  std::uint64_t run_delay_ns = 0;  // the thread's wait for a processor before the call
};

/// Whether this disk's other users are seen by the job's progress, and the segment has memory for an account of the
/// progress. False for a null disk.
bool is_seen_by_progress(const Job& job, const protocol::Disk* disk, const Grant& grant);

/// Called just before the call. The result has no disk unless the disk is seen by the job's progress.
TellingCall begin_call(const Job& job, protocol::Disk* disk, CallKind kind);

/// Starts the measurement again, because the call begins only now: the process has waited in between.
void begin_again(TellingCall& call);

/// How many bytes of a file are written before they are flushed to the disk.
std::uint64_t flush_bytes(const Job& job, const protocol::Disk& disk);

/// Called when the call has ended and has moved `bytes`. Returns true when the call took so long that it may have waited for a disk.
bool end_call(Job& job, const TellingCall& call, std::uint64_t bytes);

/// Called after a call on a name, which began at `began_ns`, somewhere on the disk used last.
void note_name_call(Job& job, std::uint64_t began_ns);

/// Measures a call on a name during the lifetime of the object. A null job is not measured. Nothing is measured either until the job uses a disk whose other
/// users are noticed without counters. Until then the object costs one load.
class NameCall {
 public:
  explicit NameCall(Job* job)
      : job_(job != nullptr && are_disk_waits_counted() ? job : nullptr),
        began_ns_(job_ != nullptr ? gray::base::monotonic_ns() : 0) {}
  ~NameCall() {
    if (job_ != nullptr) note_name_call(*job_, began_ns_);
  }
  NameCall(const NameCall&) = delete;
  NameCall& operator=(const NameCall&) = delete;

 private:
  Job* job_;
  std::uint64_t began_ns_;
};

}  // namespace discnice::guest
