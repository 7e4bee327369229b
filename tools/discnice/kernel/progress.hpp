// SPDX-License-Identifier: MIT
// progress: how long this job's own calls took that needed a disk, where only that tells of the disk's other users (policy/manners.hpp).
//
// Looked at are reads that were foretold to need the disk and those after them, which may wait for what was read ahead; calls on names that took long
// enough to have waited for one; and flushes of far_writes. Time in which the thread waited for a processor is taken off: that is no disk. Not looked
// at are writes: they wait for memory, and for as long as the kernel pleases. Calls of several members at once share the time, for they slow each other
// down.
#pragma once

#include <cstdint>

#include "toolbox/base/clock.hpp"
#include "tools/discnice/contract/grant.hpp"
#include "tools/discnice/contract/job_progress.hpp"
#include "tools/discnice/job/job.hpp"
#include "tools/discnice/kernel/disk_waits.hpp"
#include "tools/discnice/protocol/layout.hpp"

namespace discnice::guest {

/// A call under way that will tell; without a disk it is none.
struct TellingCall {
  protocol::Disk* disk = nullptr;
  CallKind kind = CallKind::read_on;
  std::uint64_t began_ns = 0;
  std::uint64_t run_delay_ns = 0;  // of the thread, before it
};

/// Whether the disk's other users are seen by the job's progress, and there is memory to note it. A null disk is none.
bool is_seen_by_progress(const Job& job, const protocol::Disk* disk, const Grant& grant);

/// Just before the call. None unless the disk is seen that way.
TellingCall begin_call(const Job& job, protocol::Disk* disk, CallKind kind);

/// The call begins only now: something has waited in between.
void begin_again(TellingCall& call);

/// How much of a file is written before it is brought to the disk.
std::uint64_t flush_bytes(const Job& job, const protocol::Disk& disk);

/// When it has ended and moved so many bytes. True when it took as long as if it had waited for a disk.
bool end_call(Job& job, const TellingCall& call, std::uint64_t bytes);

/// After a call on a name that began then, somewhere on the disk used last.
void note_name_call(Job& job, std::uint64_t began_ns);

/// A call on a name, from the beginning to the end of this. A null job notes nothing; nor is anything noted before a disk is met whose other users are
/// seen by more than its counters: a load.
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
