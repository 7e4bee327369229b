// SPDX-License-Identifier: MIT
// memory_room: how much memory is free just now, within what this process may use.
//
// Knowledge assumed: a control group's memory includes the page cache of its processes. Data that is read beyond its limit pushes out what the group
//   read before (Documentation/admin-guide/cgroup-v1/memory.rst and cgroup-v2.rst). The limits of the groups above it hold as well.
// Output observed: sysinfo(); /proc/self/cgroup, and the limit and use of the group and of those above it.
// Inference drawn: how much data can come into the page cache without pushing anything out.
// What breaks it: groups that are mounted elsewhere than at /sys/fs/cgroup, and a table of groups that is longer than the part that is read. Then
//   only the machine's memory counts.
//
// Safe inside the program that loads the library: raw system calls, no heap, and no descriptor stays open.
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

/// Finds the group in the text of /proc/self/cgroup. Returns false when the group is not there, or its path is too long. Pure.
bool find_memory_group(const char* text, std::size_t length, MemoryGroup* group);

/// Reads a limit or a use; "max" is UINT64_MAX. Returns false when the text is neither that nor a number. Pure.
bool parse_memory_bytes(const char* text, std::size_t length, std::uint64_t* bytes);

/// The room below a limit, when that is narrower than `room`. Pure.
MemoryRoom narrowed(const MemoryRoom& room, std::uint64_t limit_bytes, std::uint64_t used_bytes);

/// The memory that a look needs. The stack of a guest may not have that much room.
struct RoomWorkspace {
  MemoryGroup group;
  char text[1024];
  char path[kGroupPathBytesMax + 64];
};

/// Looks now. Takes some microseconds, and reads two small files for each level of groups.
MemoryRoom read_memory_room(RoomWorkspace& workspace);

}  // namespace discnice::outputs
