// SPDX-License-Identifier: MIT
// real_calls: the functions we stand in front of, as the next library in line provides them. Resolved once,
// before main().
#pragma once

#include <cstddef>
#include <cstdio>

#include <sys/types.h>
#include <sys/uio.h>

namespace discnice::shim {

// One pointer a function, named as the function; null until resolved, and for functions this libc does not
// have.
struct RealCalls {
#define DISCNICE_EACH(type, name, parameters) type(*name) parameters;
#include "tools/discnice/shim/interposed_each.inc"
};

extern RealCalls real;

/// Looks all of them up behind this library (RTLD_NEXT). Called once, by the constructor.
void resolve_real_calls();

}  // namespace discnice::shim
