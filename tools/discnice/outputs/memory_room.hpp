// SPDX-License-Identifier: MIT
// memory_room: tells how much of the memory that this process may use is unused now.
//
// Knowledge assumed: the memory of a control group includes the page cache of its processes. Pages that are read beyond the group's limit push out pages that the group read
// before (Documentation/admin-guide/cgroup-v1/memory.rst and cgroup-v2.rst). Above it its ancestors' limits hold.
// Output observed: sysinfo(); /proc/self/cgroup, and the limit and use of the group and of those above it.
// Inference drawn: what can come into the page cache without pushing anything out.
// What breaks it: groups that are mounted elsewhere than at /sys/fs/cgroup, and a table of groups longer than what is read of it: then the machine's
//   memory alone counts.
//
// Host-safe: raw system calls, no heap, no descriptor kept.
#pragma once

#include <cstddef>
#include <cstdint>

namespace discnice::outputs {

struct MemoryRoom {
  std::uint64_t free_bytes = 0;   // that nobody uses
  std::uint64_t total_bytes = 0;  // used or not
};

inline constexpr std::size_t kGroupPathBytesMax = 384;

/// The place of a process among the control groups that count memory.
struct MemoryGroup {
  bool is_unified = false;  // of the second version
  char path[kGroupPathBytesMax] = {};
};

/// Finds the group in the text of /proc/self/cgroup. False if the group is not there, or if its path is too long. Pure.
bool find_memory_group(const char* text, std::size_t length, MemoryGroup* group);

/// Reads a limit or a use. "max" gives UINT64_MAX. False if the text is neither "max" nor a number. Pure.
bool parse_memory_bytes(const char* text, std::size_t length, std::uint64_t* bytes);

/// The memory left below a limit, if that is less than the present value. Pure.
MemoryRoom narrowed(const MemoryRoom& room, std::uint64_t limit_bytes, std::uint64_t used_bytes);

/// The buffers that a look needs. They may be larger than the rest of a guest's stack.
struct RoomWorkspace {
  MemoryGroup group;
  char text[1024];
  char path[kGroupPathBytesMax + 64];
};

/// Looks now. Takes some microseconds, and reads two small files for each level of groups.
MemoryRoom read_memory_room(RoomWorkspace& workspace);

}  // namespace discnice::outputs
