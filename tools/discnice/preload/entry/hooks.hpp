// SPDX-License-Identifier: MIT
// hooks: the common part of the files of wrappers. Each of these files makes the wrappers of one table, interposed*.def.
//
// A wrapper has libc's name only as its assembler name, so libc's headers (with their noexcept, attributes and fortified inlines) can be included
// without a clash. Before the constructor has run, the real call is the raw system call. Functions that are no system call are looked up then.
#pragma once

#include <cerrno>
#include <cstdio>

#include <fcntl.h>
#include <sys/types.h>

#include "toolbox/base/raw_sys.hpp"
#include "tools/discnice/descriptor/file_locks.hpp"
#include "tools/discnice/descriptor/file_position.hpp"
#include "tools/discnice/descriptor/open_files.hpp"
#include "tools/discnice/preload/entry/direct_calls.hpp"
#include "tools/discnice/preload/entry/real_calls.hpp"
#include "tools/discnice/transfer/closed_files.hpp"
#include "tools/discnice/transfer/metadata.hpp"
#include "tools/discnice/transfer/openings.hpp"
#include "tools/discnice/transfer/own_cache.hpp"
#include "tools/discnice/transfer/route.hpp"
#include "tools/discnice/transfer/settled_call.hpp"
#include "tools/discnice/transfer/smooth_writes.hpp"
#include "tools/discnice/transfer/transfer.hpp"
#include "tools/discnice/transfer/transfer_call.hpp"

static_assert(sizeof(off_t) == 8 && sizeof(off64_t) == 8, "the tables pass 64-bit offsets everywhere");

#define DISCNICE_EXPORTED(type, name, parameters) \
  extern "C" __attribute__((visibility("default"))) type discnice_hook_##name parameters __asm__(#name)
#define DISCNICE_EXPORT DISCNICE_EXPORTED

#define DISCNICE_CALL(type, name, arguments, ...) \
  (DISCNICE_REAL(name) != nullptr ? real.name arguments : static_cast<type>(raw __VA_ARGS__))

#define DISCNICE_QUICK_CALL(type, name, arguments, ...)     \
  (calls_directly() ? static_cast<type>(direct __VA_ARGS__) \
                    : DISCNICE_CALL(type, name, arguments, __VA_ARGS__))

namespace discnice::guest {

using gray::base::raw_syscall;
using gray::base::word;

/// Converts the result of a raw system call to a result of libc.
inline long from_raw(long result) {
  if (!gray::base::is_raw_error(result)) return result;
  errno = static_cast<int>(-result);
  return -1;
}

/// Makes a raw system call. System calls take machine words, and the tables pass values of any type.
template <typename... Arguments>
long raw_words(long number, Arguments... arguments) {
  return raw_syscall(number, static_cast<long>(arguments)...);
}

template <typename... Arguments>
long raw(long number, Arguments... arguments) {
  return from_raw(raw_words(number, arguments...));
}

/// Same as raw(), but inlined into the wrapper (direct_calls.hpp).
template <typename... Arguments>
__attribute__((always_inline)) inline long direct(long number, Arguments... arguments) {
  const long result = gray::base::inline_syscall(number, static_cast<long>(arguments)...);
  if (!gray::base::is_raw_error(result)) [[likely]]
    return result;
  errno = static_cast<int>(-result);
  return -1;
}

/// Forgets a descriptor that a call has just returned or reassigned, because it now means something else.
inline int renewed(int fd) {
  if (fd >= 0) forget_open_file(fd);
  return fd;
}

/// Same as renewed(), for a descriptor that now shares the open file behind `from`.
inline int duplicated(int from, int fd) {
  if (fd >= 0) note_shared(from);
  return renewed(fd);
}

/// Forgets descriptors that are about to be closed. This is done before the call, because after the call their numbers may already belong to another thread.
__attribute__((always_inline)) inline void closing(unsigned first, unsigned last) {
  note_locks_closed(first, last);
  if (first != last) return forget_open_files(first, last);
  OpenFile* file = known_open_file(static_cast<int>(first));
  if (file == nullptr) return;
  if (file->file_class.load(std::memory_order_acquire) == FileClass::charged) {
    send_before_close(static_cast<int>(first));
    flush_before_close(static_cast<int>(first));
    let_go_before_close(static_cast<int>(first));
  }
  forget(*file);
}

}  // namespace discnice::guest
