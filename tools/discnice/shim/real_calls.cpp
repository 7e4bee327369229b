// SPDX-License-Identifier: MIT
#include "tools/discnice/shim/real_calls.hpp"

#include <dlfcn.h>

namespace discnice::shim {

RealCalls real;

void resolve_real_calls() {
#define DISCNICE_EACH(type, name, parameters) \
  real.name = reinterpret_cast<type(*) parameters>(dlsym(RTLD_NEXT, #name));
#include "tools/discnice/shim/interposed_each.inc"
}

}  // namespace discnice::shim
