// SPDX-License-Identifier: MIT
// shared_os: the host primitives by which processes that know nothing of one another share a page of notes.
//
// The error rule is that of os.hpp: a negative errno in a Result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "toolbox/base/result.hpp"

namespace gray::os {

/// A file in memory, mapped. Kept for the life of the process. Whoever may write to the file may also cut it short, and a
/// touch behind its end kills: so the mapping is for wait_while() and wake_all() alone, which the kernel answers with an error.
struct SharedMemory {
  void* address = nullptr;
  int fd = -1;
};

/// Maps the file of that name, which all users of this host see (is_for_all) or we alone, and makes it where
/// that is ours to do: the one for all is the superuser's. -EPERM: it is there, and neither is nor was made by
/// who may; -EFBIG: it has another size.
base::Result<SharedMemory> open_shared(const std::string& name, std::size_t bytes, bool is_for_all);

/// Copies the file's first bytes, zeros for those it no longer has; and writes them back. 0 or a negative errno.
int load_shared(const SharedMemory& memory, void* to, std::size_t bytes);
int store_shared(const SharedMemory& memory, const void* from, std::size_t bytes);

/// Locks out every other process (not the threads of this one). A process that ends leaves no lock, and a
/// child does not inherit it. -ETIMEDOUT when somebody keeps it so long.
int lock_shared(const SharedMemory& memory, std::uint64_t timeout_ns);
void unlock_shared(const SharedMemory& memory);

/// Sleeps while *word, which lies in shared memory, is still `seen`, or till the time has passed; if it is not there any more, for
/// that time.
void wait_while(std::uint32_t* word, std::uint32_t seen, std::uint64_t timeout_ns);
void wake_all(const SharedMemory& memory, std::uint32_t* word);

/// A descriptor that poll() finds readable after a wake_all() on that file, for who has others to listen to, too. The caller
/// closes it. -EMFILE and the like where the host has no more of them.
base::Result<int> watch_shared(const SharedMemory& memory);

std::uint32_t process_id();

struct ProcessLook {
  std::uint64_t
      start;  // when it began, in a unit of the host's, so that a number given out again is not taken for it
  bool is_stopped;  // by a signal or a debugger
};

/// -ESRCH: there is no such process, or only what is left of it.
base::Result<ProcessLook> look_at_process(std::uint32_t pid);

/// Memory of their own that a process and all its descendants hold. Not what they map of files: its pages may be booked to
/// others, and the cache can drop them.
std::uint64_t anonymous_bytes_of_tree(std::uint32_t pid);

}  // namespace gray::os
