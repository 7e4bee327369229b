// SPDX-License-Identifier: MIT
// real_calls: the functions that the wrappers replace, from the next library in the order of search. Each function is looked up when it is
// first called. The search takes no lock and allocates nothing (next_symbols.hpp).
#pragma once

#include <atomic>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cwchar>

#include <aio.h>
#include <dirent.h>
#include <fts.h>
#include <linux/aio_abi.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <csignal>
#include <type_traits>

#include "tools/discnice/preload/entry/next_symbols.hpp"

namespace discnice::guest {

using io_context_id = void*;  // of libaio: the kernel's name for a queue

// One pointer for each function, with the name of the function. Null until the function is first called, and for functions that this libc does not have.
struct RealCalls {
#define DISCNICE_EACH(type, name, parameters) type(*name) parameters;
#include "tools/discnice/preload/entry/interposed_each.inc"
};

extern __attribute__((visibility("hidden")))
RealCalls real __asm__("discnice_real_calls");  // syscall_hook.cpp uses that name

/// Prepares the look-up behind this library (RTLD_NEXT). The constructor calls it once. When the tables of a library cannot be read, dlsym() looks up
/// all functions at once here, because that is safe only in a constructor.
void prepare_real_calls();

/// The times at which a new function may be looked up.
enum class LookUp : std::uint8_t { after_constructor, always };

/// Looks up one function by its name. Null when there is no such function, and when it is too early for a look-up. A function whose library chooses its code at
/// run time is left to dlsym().
void* look_up_real_call(const char* name, std::uint32_t hash, LookUp when);

namespace detail {
// libc's mark of a program with one thread (sys/single_threaded.h). It points at "more than one" before the mark is looked for, when libc has no
// mark, and when any function that was looked up belongs to another library than libc. In the last case another preloaded library comes behind
// this one and must see each call. Never null.
extern __attribute__((visibility("hidden"))) std::atomic<const char*> thread_mark;
}  // namespace detail

/// Looks for that mark. First it looks up all functions whose hook may make the system call itself. This search takes two microseconds.
void look_for_thread_mark();

template <typename Function>
Function real_call(Function& place, const char* name, std::uint32_t hash, LookUp when) {
  Function known = __atomic_load_n(&place, __ATOMIC_RELAXED);
  if (known != nullptr) [[likely]]
    return known;
  known = reinterpret_cast<Function>(look_up_real_call(name, hash, when));
  if (known != nullptr)
    __atomic_store_n(&place, known, __ATOMIC_RELAXED);  // the value that another thread found stays
  return known;
}

/// The known address of the real function, without a look-up. Null also when the function was not called yet. Costs one load.
#define DISCNICE_KNOWN(name) __atomic_load_n(&real.name, __ATOMIC_RELAXED)

/// The real function of that name. Null before the constructor has run. A raw system call is made then.
#define DISCNICE_REAL(name) DISCNICE_REAL_WHEN(name, LookUp::after_constructor)

/// The real function of a name that has no raw form. The look-up is allowed at any time.
#define DISCNICE_REAL_ALWAYS(name) DISCNICE_REAL_WHEN(name, LookUp::always)

/// A function that this library itself calls rarely and that not every libc has. `place` holds its address, and is null until the address is known.
/// If the library named the function directly, the loader would look it up at every start.
#define DISCNICE_SELDOM(place, name)                                                        \
  real_call(place, #name, std::integral_constant<std::uint32_t, symbol_hash(#name)>::value, \
            LookUp::after_constructor)

#define DISCNICE_REAL_WHEN(name, when) \
  real_call(real.name, #name, std::integral_constant<std::uint32_t, symbol_hash(#name)>::value, when)

}  // namespace discnice::guest
