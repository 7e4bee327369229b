// SPDX-License-Identifier: MIT
// job: what this process knows about its job. There is one instance, and lifecycle.cpp sets it up.
//
// Rules for every file of this folder, because it runs inside another program's process:
//   no heap, stdio, lock, thread, exception or static constructor; no descriptor kept; system calls by raw_syscall(), which leaves errno alone;
//   bounded work in each call; calls that are not understood are passed through and counted (Counter::fallbacks).
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
      epoch;  // a number that no other image of the job has; it marks try-locks so that a forked child can tell them from its own
  protocol::Ring* ring;  // where records go; null unless the job is being recorded
  protocol::SegmentName name =
      {};  // the name under which the segment was made or joined; empty for a private segment
  std::uint32_t pid_namespace = 0;  // the namespace in which `pid` counts, in the job's numbering
  std::uint32_t user = 0;           // the owner of the job: the effective user at the start
  // For a process that is held from outside: counts the bytes that the process has moved by now. Null inside the process itself,
  // because there settling does this.
  void (*book_from_outside)(void* watcher) = nullptr;
  void* watcher = nullptr;
};

// Data that the wrappers' inline code reads is declared hidden. Otherwise the code would look up the address of this data in the global offset table
// (the compiler's -fvisibility is for definitions).
namespace detail {
extern __attribute__((visibility("hidden"))) std::atomic<Job*> joined;
void find_own_slot(Job& job);
}  // namespace detail

/// The job, or null while there is none: before the constructor, after the destructor, or when the library was not asked to do anything. In a forked
/// child the first call takes a slot of its own. The first call makes the fork mark. Each later call costs about one nanosecond.
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

/// Leaves the job permanently: settles, and gives the slot back. Called by the destructor and before _exit().
void leave_job();

/// Also leaves the job permanently, when neither the real nor the effective nor the saved user of this process is the job's user any more. The shared
/// memory is replaced by empty memory, which other code in this process may use as it likes. After vfork() nothing is changed, because the memory may
/// be another process's. Costs a system call. Keeps errno.
void leave_when_other_user();

}  // namespace discnice::guest
