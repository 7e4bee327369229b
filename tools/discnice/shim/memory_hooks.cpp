// SPDX-License-Identifier: MIT
// memory_hooks: the wrappers of interposed_memory.def: mapped files, paid for by the account.
//
// munmap() is left alone: allocators call it with their locks held, and no wait may begin there.
#include <cerrno>

#include <sys/mman.h>
#include <sys/syscall.h>

#include "tools/discnice/shim/hooks.hpp"
#include "tools/discnice/shim/settled_call.hpp"

namespace discnice::shim {
namespace {

#ifndef MADV_POPULATE_READ
constexpr int kPopulateRead = 22;
constexpr int kPopulateWrite = 23;
#else
constexpr int kPopulateRead = MADV_POPULATE_READ;
constexpr int kPopulateWrite = MADV_POPULATE_WRITE;
#endif

bool does_read_at_once(int advice) {
  return advice == MADV_WILLNEED || advice == kPopulateRead || advice == kPopulateWrite;
}

}  // namespace

#define DISCNICE_MAP(type, name, parameters, arguments, system, is_file)                              \
  DISCNICE_EXPORT(type, name, parameters);                                                            \
  type discnice_hook_##name parameters {                                                              \
    const SettledCall settled((is_file) ? job() : nullptr);                                           \
    return DISCNICE_REAL(name) != nullptr ? real.name arguments : reinterpret_cast<type>(raw system); \
  }

// posix_madvise() returns its error instead of setting errno; the raw form, of the time before the constructors, says that there was one.
#define DISCNICE_ADVISE_MEMORY(type, name, parameters, arguments, system, advice) \
  DISCNICE_EXPORT(type, name, parameters);                                        \
  type discnice_hook_##name parameters {                                          \
    const SettledCall settled(does_read_at_once(advice) ? job() : nullptr);       \
    return DISCNICE_CALL(type, name, arguments, system);                          \
  }

#include "tools/discnice/shim/interposed_memory.def"

}  // namespace discnice::shim
