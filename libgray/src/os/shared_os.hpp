// SPDX-License-Identifier: MIT
// shared_os: the host primitives by which a user's processes that know nothing of one another share a page of notes.
//
// The error rule is that of os.hpp: a negative errno in a Result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "toolbox/base/result.hpp"

namespace gray::os {

/// A file in memory, of one user, mapped for reading. Whoever may write to the file may also cut
/// it short, and a touch behind its end kills: so the mapping is for wait_while() and wake_all() alone, which the kernel answers with
/// an error.
struct SharedMemory {
  std::uint32_t* address = nullptr;
  int fd = -1;
  std::size_t bytes = 0;
  std::uint64_t device =
      0;  // both tell whether fd is this file's still: a program may close every descriptor it finds
  std::uint64_t inode = 0;
};

/// Maps this user's file of that name, and makes it where there is none. A file of another size is given the right one. Fails where
/// the name is not to be had (toolbox/base/shared_file.hpp): whatever lies there then is left as it is and never waited for.
base::Result<SharedMemory> open_shared(const std::string& name, std::size_t bytes);

/// Gives it back, unless the descriptor is no longer its own.
void close_shared(const SharedMemory& memory);

/// Copies the file's first bytes, zeros for those it no longer has. Writes bytes at a place. 0 or a negative errno: -EBADF where
/// the program closed the descriptor meanwhile, -EPERM where it is another user by now.
int load_shared(const SharedMemory& memory, void* to, std::size_t bytes);
int store_shared(const SharedMemory& memory, std::size_t place, const void* from, std::size_t bytes);

/// Locks out every other process (not the threads of this one) unless one is inside: -EAGAIN then. A process that ends leaves no
/// lock, and a child does not inherit it.
int lock_shared(const SharedMemory& memory);
void unlock_shared(const SharedMemory& memory);

/// A number of bytes that the kernel vouches for: each slot has one holder at most, which only its process can become, and which it
/// is no more when that process ends, becomes another program or closes the file.
inline constexpr std::uint64_t kSlotBytesMax = (std::uint64_t{1} << 55U) - 2;
int hold_slot(const SharedMemory& memory, std::size_t slot, std::uint64_t bytes);
void drop_slot(const SharedMemory& memory, std::size_t slot);

struct SlotHolder {
  bool is_held = false;     // by another process than this one
  std::uint32_t pid = 0;    // 0: it has no number here, since it lives in another PID namespace
  std::uint64_t bytes = 0;  // held by it
};
SlotHolder slot_holder(const SharedMemory& memory, std::size_t slot);

/// Sleeps while *word, which lies in shared memory, is still `seen`, or till the time has passed; if it is not there any more, for
/// that time.
void wait_while(std::uint32_t* word, std::uint32_t seen, std::uint64_t timeout_ns);
void wake_all(const SharedMemory& memory, std::uint32_t* word);

/// A descriptor that poll() finds readable after a wake_all() on that file, for who has others to listen to, too. The caller
/// closes it. -EMFILE and the like where the host has no more of them.
base::Result<int> watch_shared(const SharedMemory& memory);

std::uint32_t process_id();

/// What the kernel says of a process.
struct ProcessLook {
  std::uint32_t own_number;       // what process_id() tells it
  bool is_ours;                   // it acts for the user that this process acts for
  bool is_stopped;                // by a signal or a debugger
  std::uint64_t anonymous_bytes;  // memory of its own, in memory or in swap
};

/// -ESRCH: there is no such process, or only what is left of it.
base::Result<ProcessLook> look_at_process(std::uint32_t pid);

struct TreeMemory {
  // Memory of their own that a process and all its descendants hold. Not what they map of files: its pages may be booked to
  // others, and the cache can drop them. Of memory that processes share it is the most that one of them has: it may be the same.
  std::uint64_t own_bytes = 0;
  std::uint64_t file_bytes_max = 0;  // what the one of them that maps most of files has of those in memory
};
TreeMemory memory_of_tree(std::uint32_t pid);

}  // namespace gray::os
