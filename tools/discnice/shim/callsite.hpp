// SPDX-License-Identifier: MIT
// callsite: where in the program a call comes from. Two files can stand behind it, chosen by linking: callsite_none.cpp in
// libdiscnice.so, which needs libc alone, and callsite_libunwind.cpp in libdiscnice-profile.so.
#pragma once

#include <cstdint>

namespace discnice::shim {

/// The addresses that the calling thread's functions will return to, the innermost first, at most `frames_max`. Returns how many;
/// 0 where stacks cannot be walked, or when the walk itself led here.
std::uint32_t walk_stack(std::uint64_t* frames, std::uint32_t frames_max);

}  // namespace discnice::shim
