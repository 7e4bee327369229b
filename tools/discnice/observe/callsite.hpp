// SPDX-License-Identifier: MIT
// callsite: tells where in the program a call comes from. One of two files implements these functions, and the linker chooses the file:
// callsite_none.cpp in libdiscnice.so, which needs only libc, and callsite_libunwind.cpp in libdiscnice-profile.so.
#pragma once

#include <cstdint>

namespace discnice::guest {

/// Prepares the stack walks. Called in the constructor of a process that is profiled. May allocate memory and open files.
void prepare_walks();

/// Stores the return addresses of the calling thread's functions, the innermost first, at most `frames_max`. Returns how many there are. Returns 0
/// when stacks cannot be walked, when the call comes from a walk itself, and when too many threads walk at once. `epoch` is the
/// job's. Takes some hundred bytes of the calling thread's stack.
std::uint32_t walk_stack(std::uint64_t* frames, std::uint32_t frames_max, std::uint32_t epoch);

}  // namespace discnice::guest
