// SPDX-License-Identifier: MIT
// memory_room: how much memory is free just now, of the memory that this process may use.
//
// Knowledge assumed: a control group's memory includes the page cache of its processes. When the group reads data beyond its limit, the kernel
//   evicts data that the group read before (Documentation/admin-guide/cgroup-v1/memory.rst and cgroup-v2.rst). The limits of the parent groups
//   apply as well.
// Output observed: sysinfo(); /proc/self/cgroup, and the limit and use of the group and of its parent groups.
// Inference drawn: how much data can come into the page cache without evicting other data.
// What breaks it: groups that are mounted elsewhere than at /sys/fs/cgroup, and a
//   /proc/self/cgroup that is longer than the part that is read. Then only the machine's memory counts.
//
// Safe inside the program that loads the library: the code makes raw system calls, uses no heap, and leaves no descriptor open.
#pragma once

#include <cstddef>
#include <cstdint>

namespace discnice::outputs {

struct MemoryRoom {
  std::uint64_t free_bytes = 0;   // memory that nothing uses
  std::uint64_t total_bytes = 0;  // all memory, used or not
};

inline constexpr std::size_t kGroupPathBytesMax = 384;

/// The place of a process among the control groups that count memory.
struct MemoryGroup {
  bool is_unified = false;  // a group of cgroup version 2
  char path[kGroupPathBytesMax] = {};
};

/// Finds the group in the text of /proc/self/cgroup. Returns false when the text has no such group, or when the group's path
/// is too long. Pure.
bool find_memory_group(const char* text, std::size_t length, MemoryGroup* group);

/// Reads a limit or a use; "max" is UINT64_MAX. Returns false when the text is neither that nor a number. Pure.
bool parse_memory_bytes(const char* text, std::size_t length, std::uint64_t* bytes);

/// Returns the smaller of `room` and the memory that is left below a limit. Pure.
MemoryRoom narrowed(const MemoryRoom& room, std::uint64_t limit_bytes, std::uint64_t used_bytes);

/// The working memory that a look needs. The stack of the program's thread may be too small for it.
struct RoomWorkspace {
  MemoryGroup group;
  char text[1024];
  char path[kGroupPathBytesMax + 64];
};

/// Looks now. Takes some microseconds, and reads two small files for each level of groups.
MemoryRoom read_memory_room(RoomWorkspace& workspace);

}  // namespace discnice::outputs
