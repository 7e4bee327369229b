// SPDX-License-Identifier: MIT
// direct_calls: tells when a hook may make its system call itself, without calling libc's wrapper.
//
// After a system call the processor wrongly predicts the returns of the functions that made the call. A hook that calls libc's wrapper has one
// more such return than the program alone has, and one more function to load. With the system call in the hook's own code, an open, a read, a
// write or a close that needs no further check costs about as much as without the library.
//
// Knowledge assumed: while there is one thread, libc's wrappers only make the call and set errno. Only another thread could cancel the thread inside
//   the call. When a program with one thread cancels that thread itself, the program ends at the next call
//   that is not made directly.
// Output observed: libc's own mark for one thread (__libc_single_threaded, glibc 2.32), and the library of each real function.
// Inference drawn: while the mark is set and every real function is libc's, a system call and libc's wrapper have the same effect. Without the mark libc is called.
#pragma once

#include <atomic>

#include "tools/discnice/preload/entry/real_calls.hpp"

namespace discnice::guest {

/// True while a hook may make its system call itself. The check costs two loads.
__attribute__((always_inline)) inline bool calls_directly() {
  return __atomic_load_n(detail::thread_mark.load(std::memory_order_relaxed), __ATOMIC_RELAXED) != 0;
}

/// Looks once for the mark, and for the real functions of the hooks that ask for it. Before this call, no system call is made directly. Used for
/// programs that make many quick calls. Takes some microseconds.
void prepare_direct_calls();

}  // namespace discnice::guest
