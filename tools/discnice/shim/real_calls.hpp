// SPDX-License-Identifier: MIT
// real_calls: the functions we stand in front of, as the next library in line provides them. Resolved once,
// before main().
#pragma once

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

namespace discnice::shim {

using io_context_id = void*;  // of libaio: the kernel's name of a queue

// One pointer a function, named as the function; null until resolved, and for functions this libc does not
// have.
struct RealCalls {
#define DISCNICE_EACH(type, name, parameters) type(*name) parameters;
#include "tools/discnice/shim/interposed_each.inc"
};

extern __attribute__((visibility("hidden")))
RealCalls real __asm__("discnice_real_calls");  // syscall_hook.cpp knows that name

/// Looks all of them up behind this library (RTLD_NEXT). Called once, by the constructor.
void resolve_real_calls();

}  // namespace discnice::shim
