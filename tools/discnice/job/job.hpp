// SPDX-License-Identifier: MIT
// job: what this process knows about its job. There is one instance, set up by lifecycle.cpp.
//
// Rules of conduct for every file of this folder, because it runs inside somebody else's process:
//   no heap, stdio, lock, thread, exception or static constructor; no descriptor kept; system calls by
//   raw_syscall(), which leaves errno alone; bounded work a call; whatever is not understood is passed
//   through and counted (Counter::fallbacks).
#pragma once

#include <atomic>
#include <cstdint>

#include "tools/discnice/job/fork_mark.hpp"
#include "tools/discnice/protocol/layout.hpp"
#include "tools/discnice/protocol/members.hpp"
#include "tools/discnice/protocol/segment.hpp"

namespace discnice::protocol {
struct Ring;
}

namespace discnice::guest {

/// The job as this process sees it. It exists from the constructor of the library to its destructor.
struct Job {
  protocol::Segment* segment;
  protocol::Member* member;
  std::uint32_t pid;
  std::uint32_t
      epoch;  // a number no other image of the job has; marks try-locks so that a forked child can tell
  protocol::Ring* ring;             // where records go; null unless the job is being recorded
  protocol::SegmentName name = {};  // that the segment was made or joined under; empty for a private one
  std::uint32_t pid_namespace = 0;  // in which `pid` counts, as the job's members go by it
  std::uint32_t user = 0;           // whose job it is, by the effective user at the start
  // For a process that is held from outside: books the bytes that it has moved so far. Null in the process itself, which settles instead.
  void (*book_from_outside)(void* watcher) = nullptr;
  void* watcher = nullptr;
};

// Everything that the inline code of the wrappers reads is declared hidden. Otherwise the compiler would look it up in the table of addresses, because -fvisibility affects only
// definitions.
namespace detail {
extern __attribute__((visibility("hidden"))) std::atomic<Job*> joined;
void find_own_slot(Job& job);
}  // namespace detail

/// The job, or null if there is none: before the constructor, after the destructor, or if no job was asked for. In a forked child the first call takes a slot of its own. Takes
/// about one nanosecond once the fork mark is made; the first call makes it.
__attribute__((always_inline)) inline Job* job() {
  Job* here = detail::joined.load(std::memory_order_acquire);  // pairs with join_at_load()
  if (here == nullptr) return nullptr;
  if (fork_mark().is_set.load(std::memory_order_relaxed) == 0) detail::find_own_slot(*here);
  return here;
}

/// True if there is a job and job() would have nothing to do.
__attribute__((always_inline)) inline bool has_job_at_hand() {
  return detail::joined.load(std::memory_order_acquire) != nullptr &&
         fork_mark().is_set.load(std::memory_order_relaxed) != 0;
}

/// Leaves the job for good: settles and gives the slot back. The destructor calls this, and it is called before _exit().
void leave_job();

/// Leaves the job for good if none of the three users of this process (real, effective, saved) is the user of the job any more. The shared memory is replaced by empty memory,
/// because from then on other code in this process could write anything there. After vfork() nothing is done, because the memory may belong to another process. Costs a system
/// call. errno is kept.
void leave_when_other_user();

}  // namespace discnice::guest
