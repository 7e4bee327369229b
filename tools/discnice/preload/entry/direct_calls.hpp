// SPDX-License-Identifier: MIT
// direct_calls: decides when a hook may make its system call itself and need not call libc's wrapper.
//
// After a system call the processor foretells the returns of the functions around it wrongly. A hook that calls libc's wrapper has one more such return than
// the program alone has, and one more function to touch. With the system call in the hook's own code, an opening, a read, a write or a close that needs no
// second look costs about what it costs without the library.
//
// Knowledge assumed: libc's wrappers do no more than the call and errno while there is one thread: only where there are others may somebody cancel
//   it in there. A program that cancels its only thread itself ends at the next call that is no quick one.
// Output observed: libc's own mark of a program with one thread (__libc_single_threaded, glibc 2.32), and which library each real function is from.
// Inference drawn: while the mark is set and libc alone stands behind us, nobody can tell the two apart. Without the mark libc is called.
#pragma once

#include <atomic>

#include "tools/discnice/preload/entry/real_calls.hpp"

namespace discnice::guest {

/// True while a hook may make its system call itself. Two loads.
__attribute__((always_inline)) inline bool calls_directly() {
  return __atomic_load_n(detail::thread_mark.load(std::memory_order_relaxed), __ATOMIC_RELAXED) != 0;
}

/// Looks for the mark once, and for the real functions of the hooks that use it. Until then no hook makes its call directly. For programs that make many quick calls. Takes some
/// microseconds.
void prepare_direct_calls();

}  // namespace discnice::guest
