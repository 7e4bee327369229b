// SPDX-License-Identifier: MIT
// shared_os: the host primitives by which independent processes of one user share a small table.
//
// The error rule is that of os.hpp: a negative errno in a Result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "toolbox/base/result.hpp"

namespace gray::os {

/// A file in memory, of one user, mapped for reading. A process that may write to the file may also truncate it, and a touch behind its end would kill the toucher. So the
/// mapping is used only by wait_while() and wake_all(), for which the kernel returns an error instead.
struct SharedMemory {
  std::uint32_t* address = nullptr;
  int fd = -1;
  std::size_t bytes = 0;
  std::uint64_t device =
      0;  // both tell whether fd is this file's still: a program may close every descriptor it finds
  std::uint64_t inode = 0;
};

/// Maps this user's file of that name, and makes it if there is none. A file of another size gets the right size. Fails if the name can't be used (toolbox/base/shared_file.hpp):
/// then the thing under the name is not changed and not waited for.
base::Result<SharedMemory> open_shared(const std::string& name, std::size_t bytes);

/// Gives the mapping back. The descriptor is closed only if it is still this object's.
void close_shared(const SharedMemory& memory);

/// Copies the file's first bytes, with zeros for bytes that are missing. Writes bytes at a place. Both return 0 or a negative errno: -EBADF if the program closed the descriptor
/// meanwhile, -EPERM if the process belongs to another user by now.
int load_shared(const SharedMemory& memory, void* to, std::size_t bytes);
int store_shared(const SharedMemory& memory, std::size_t place, const void* from, std::size_t bytes);

/// Locks out every other process, but not the threads of this one. -EAGAIN if another process has the lock. The lock is released when its process ends, and a child does not
/// inherit it.
int lock_shared(const SharedMemory& memory);
void unlock_shared(const SharedMemory& memory);

/// A number of bytes for which the kernel vouches. Each slot has one holder at most. Only the process itself can become the holder. It loses the slot when it ends, executes
/// another program or closes the file.
inline constexpr std::uint64_t kSlotBytesMax = (std::uint64_t{1} << 55U) - 2;
int hold_slot(const SharedMemory& memory, std::size_t slot, std::uint64_t bytes);
void drop_slot(const SharedMemory& memory, std::size_t slot);

struct SlotHolder {
  bool is_held = false;     // by another process than this one
  std::uint32_t pid = 0;    // 0: it has no number here, since it lives in another PID namespace
  std::uint64_t bytes = 0;  // held by it
};
SlotHolder slot_holder(const SharedMemory& memory, std::size_t slot);

/// Sleeps while *word, which lies in shared memory, is still `seen`, or until the time has passed. If the word does not exist any more, it sleeps for the whole time.
void wait_while(std::uint32_t* word, std::uint32_t seen, std::uint64_t timeout_ns);
void wake_all(const SharedMemory& memory, std::uint32_t* word);

/// A descriptor that poll() reports as readable after a wake_all() on that file, for a caller that also waits for other events. The caller closes it. -EMFILE and similar if the
/// host has no more descriptors.
base::Result<int> watch_shared(const SharedMemory& memory);

std::uint32_t process_id();

/// What the kernel says about a process.
struct ProcessLook {
  std::uint32_t own_number;       // what process_id() tells it
  bool is_ours;                   // it acts for the user that this process acts for
  bool is_stopped;                // by a signal or a debugger
  std::uint64_t anonymous_bytes;  // memory of its own, in memory or in swap
};

/// -ESRCH: there is no such process, or it has ended and was not waited for.
base::Result<ProcessLook> look_at_process(std::uint32_t pid);

struct TreeMemory {
  // The private memory of a process and all its descendants. Mapped files are not included: their pages may be counted for others, and the cache can drop them. For memory that
  // processes share, the largest value of one process is used, because it may be the same memory.
  std::uint64_t own_bytes = 0;
  std::uint64_t file_bytes_max = 0;  // what the one of them that maps most of files has of those in memory
};
TreeMemory memory_of_tree(std::uint32_t pid);

}  // namespace gray::os
