// SPDX-License-Identifier: MIT
// real_calls: the real functions behind the wrappers, as the next library provides them. Each is looked up at its first call. The look-up takes no lock and allocates nothing
// (next_symbols.hpp).
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

using io_context_id = void*;  // of libaio: the kernel's name of a queue

// One pointer for each function, with the name of the function. Null until the first call, and for functions that this libc does not have.
struct RealCalls {
#define DISCNICE_EACH(type, name, parameters) type(*name) parameters;
#include "tools/discnice/preload/entry/interposed_each.inc"
};

extern __attribute__((visibility("hidden")))
RealCalls real __asm__("discnice_real_calls");  // syscall_hook.cpp knows that name

/// Prepares to look them up behind this library (RTLD_NEXT). The constructor calls this once. If the tables of a library can't be read, all functions are looked up at once by
/// dlsym(), which is safe only in a constructor.
void prepare_real_calls();

/// Whether a function that has not been looked up yet may be looked up now.
enum class LookUp : std::uint8_t { after_constructor, always };

/// Finds one of them by its name. Null if there is none, or if it is too early. If a library chooses the code of a function at run time, the look-up is left to dlsym().
void* look_up_real_call(const char* name, std::uint32_t hash, LookUp when);

namespace detail {
// libc's mark of a program with one thread (sys/single_threaded.h). The pointer points at "more than one" in three cases: until the mark was looked for; if libc has no such
// mark; and if any function that was looked up is not libc's. In the last case another library stands behind this one, and must see each call. Never null.
extern __attribute__((visibility("hidden"))) std::atomic<const char*> thread_mark;
}  // namespace detail

/// Looks for that mark. First looks up all functions for which a hook may make the system call itself. Takes two microseconds.
void look_for_thread_mark();

template <typename Function>
Function real_call(Function& place, const char* name, std::uint32_t hash, LookUp when) {
  Function known = __atomic_load_n(&place, __ATOMIC_RELAXED);
  if (known != nullptr) [[likely]]
    return known;
  known = reinterpret_cast<Function>(look_up_real_call(name, hash, when));
  if (known != nullptr) __atomic_store_n(&place, known, __ATOMIC_RELAXED);  // what another thread found stays
  return known;
}

/// The real function of that name as far as it is known. It is also null if the function was not called yet. One load.
#define DISCNICE_KNOWN(name) __atomic_load_n(&real.name, __ATOMIC_RELAXED)

/// The real function of that name. Null before the constructor has run; for these functions there is a raw system call.
#define DISCNICE_REAL(name) DISCNICE_REAL_WHEN(name, LookUp::after_constructor)

/// The real function of one that has no raw system call. It is looked up at any time.
#define DISCNICE_REAL_ALWAYS(name) DISCNICE_REAL_WHEN(name, LookUp::always)

/// A function that this library itself calls rarely, and that not every libc has. `place` holds its address, null until it is known. Otherwise the loader would look it up at
/// every start.
#define DISCNICE_SELDOM(place, name)                                                        \
  real_call(place, #name, std::integral_constant<std::uint32_t, symbol_hash(#name)>::value, \
            LookUp::after_constructor)

#define DISCNICE_REAL_WHEN(name, when) \
  real_call(real.name, #name, std::integral_constant<std::uint32_t, symbol_hash(#name)>::value, when)

}  // namespace discnice::guest
