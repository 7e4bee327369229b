// SPDX-License-Identifier: MIT
// progress: measures how long those calls of the job take that need a disk. It is used if only these times tell of the disk's other users (policy/manners.hpp).
//
// Three kinds of calls are measured: reads that were predicted to need the disk, and the reads after them, which may wait for read-ahead; calls on names that took long enough to
// have waited for a disk; and flushes of far_writes. The time in which the thread waited for a processor is subtracted, because a disk did not cause it. Writes are not measured:
// they wait for memory, and for as long as the kernel decides. If several members make calls at once, they share the time, because they slow each other down.
#pragma once

#include <cstdint>

#include "toolbox/base/clock.hpp"
#include "tools/discnice/contract/grant.hpp"
#include "tools/discnice/contract/job_progress.hpp"
#include "tools/discnice/job/job.hpp"
#include "tools/discnice/kernel/disk_waits.hpp"
#include "tools/discnice/protocol/layout.hpp"

namespace discnice::guest {

/// A call under way whose time will be measured. Without a disk nothing is measured.
struct TellingCall {
  protocol::Disk* disk = nullptr;
  CallKind kind = CallKind::read_on;
  std::uint64_t began_ns = 0;
  std::uint64_t run_delay_ns = 0;  // of the thread, before it
};

/// Whether the other users of the disk are seen by the job's progress, and there is memory to note it. A null disk means no disk.
bool is_seen_by_progress(const Job& job, const protocol::Disk* disk, const Grant& grant);

/// To be called just before the call. Does nothing unless the disk is watched in this way.
TellingCall begin_call(const Job& job, protocol::Disk* disk, CallKind kind);

/// Sets the start of the call to now, because it has waited for something else before.
void begin_again(TellingCall& call);

/// How much of a file is written before it is brought to the disk.
std::uint64_t flush_bytes(const Job& job, const protocol::Disk& disk);

/// To be called after the call, with the bytes that it moved. True if it took as long as a call that waits for the disk.
bool end_call(Job& job, const TellingCall& call, std::uint64_t bytes);

/// To be called after a call on a name that began at this time, on the disk that was used last.
void note_name_call(Job& job, std::uint64_t began_ns);

/// Measures a call on a name from the construction to the destruction of this object. A null job notes nothing. Nothing is noted either before the job meets a disk whose other
/// users are not seen by counters; checking that takes one load.
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
