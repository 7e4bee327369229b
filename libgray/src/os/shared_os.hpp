// SPDX-License-Identifier: MIT
// shared_os: the system calls by which unrelated processes of a user share a table.
//
// The error rule is the same as in os.hpp: a negative errno in a Result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "toolbox/base/result.hpp"

namespace gray::os {

/// A file in memory that belongs to one user, mapped for reading. A process that may write to the file may also truncate it, and a read behind its end kills the reader. So the
/// mapping is used only by wait_while() and wake_all(), where the kernel returns an error instead.
struct SharedMemory {
  std::uint32_t* address = nullptr;
  int fd = -1;
  std::size_t bytes = 0;
  std::uint64_t device =
      0;  // device and inode tell whether fd is still this file: a program may close every descriptor that it finds
  std::uint64_t inode = 0;
};

/// Maps this user's file of that name, and makes it if it does not exist. A file of another size gets the right size. Fails if the name cannot be used safely
/// (toolbox/base/shared_file.hpp); then the file under that name is left as it is, and this process never waits for it.
base::Result<SharedMemory> open_shared(const std::string& name, std::size_t bytes);

/// Unmaps and closes the file. A descriptor that no longer belongs to the file is left open.
void close_shared(const SharedMemory& memory);

/// load_shared() copies the file's first bytes, with zeros for bytes that the file no longer has. store_shared() writes bytes at a place. Both return 0 or a negative errno:
/// -EBADF if the program has closed the descriptor, -EPERM if the process now acts for another user.
int load_shared(const SharedMemory& memory, void* to, std::size_t bytes);
int store_shared(const SharedMemory& memory, std::size_t place, const void* from, std::size_t bytes);

/// Takes the lock against other processes (not against threads of this process). -EAGAIN: another process has the lock. The lock ends with its process, and a child does not
/// inherit it.
int lock_shared(const SharedMemory& memory);
void unlock_shared(const SharedMemory& memory);

/// A slot holds a number of bytes that the kernel guarantees by a lock. Each slot has at most one holder, and only a process itself can become holder. The process stops being
/// the holder when it ends, executes another program or closes the file.
inline constexpr std::uint64_t kSlotBytesMax = (std::uint64_t{1} << 55U) - 2;
int hold_slot(const SharedMemory& memory, std::size_t slot, std::uint64_t bytes);
void drop_slot(const SharedMemory& memory, std::size_t slot);

struct SlotHolder {
  bool is_held = false;     // held by a process other than this process
  std::uint32_t pid = 0;    // 0: the holder has no number here, because it is in another PID namespace
  std::uint64_t bytes = 0;  // the number of bytes that it holds
};
SlotHolder slot_holder(const SharedMemory& memory, std::size_t slot);

/// Sleeps while *word in shared memory is still `seen`, but no longer than the timeout. If the word is no longer there, sleeps until the timeout.
void wait_while(std::uint32_t* word, std::uint32_t seen, std::uint64_t timeout_ns);
void wake_all(const SharedMemory& memory, std::uint32_t* word);

/// A descriptor that poll() finds readable after a wake_all() on that file, for callers that also wait for other descriptors. The caller closes it. -EMFILE and similar if the
/// host has no more descriptors.
base::Result<int> watch_shared(const SharedMemory& memory);

std::uint32_t process_id();

/// The kernel's facts about a process.
struct ProcessLook {
  std::uint32_t own_number;       // the number that process_id() returns in that process
  bool is_ours;                   // it acts for the same user as this process
  bool is_stopped;                // by a signal or a debugger
  std::uint64_t anonymous_bytes;  // memory of its own, in memory or in swap
};

/// -ESRCH: there is no such process, or it is a zombie.
base::Result<ProcessLook> look_at_process(std::uint32_t pid);

struct TreeMemory {
  // The private memory of a process and all its descendants. Mapped files are not counted: their pages may be charged to other processes, and the kernel can drop them. Of shared
  // memory only the largest amount of one process counts, because the processes may share the same memory.
  std::uint64_t own_bytes = 0;
  std::uint64_t file_bytes_max = 0;  // the file pages in memory of the process that has most of them
};
TreeMemory memory_of_tree(std::uint32_t pid);

}  // namespace gray::os
