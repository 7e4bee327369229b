// SPDX-License-Identifier: MIT
// callsite: tells from which place of the program a call comes. There are two implementations, chosen at link time: callsite_none.cpp in libdiscnice.so, which needs libc alone,
// and callsite_libunwind.cpp in libdiscnice-profile.so.
#pragma once

#include <cstdint>

namespace discnice::guest {

/// Prepares for walking stacks, in the constructor of a process that is profiled. May allocate and open files.
void prepare_walks();

/// The addresses that the calling thread's functions will return to, the innermost first, at most `frames_max`. Returns how many;
/// 0 where stacks cannot be walked, when the walk itself led here, or when too many threads walk at once. `epoch` is the job's. Takes some hundred
/// bytes of the calling thread's stack.
std::uint32_t walk_stack(std::uint64_t* frames, std::uint32_t frames_max, std::uint32_t epoch);

}  // namespace discnice::guest
