// SPDX-License-Identifier: MIT
// descriptor_hooks: the wrappers of interposed.def, the calls on descriptors. Each wrapper describes its call and passes the real call to
// transfer/transfer.hpp.
#include "tools/discnice/preload/entry/hooks.hpp"

#include <cstdarg>
#include <cstdint>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include "toolbox/base/call_numbers.hpp"
#include "tools/discnice/job/job.hpp"
#include "tools/discnice/preload/entry/descriptor_calls.hpp"

namespace discnice::guest {
namespace {

// True for the functions by which libc checks the size of the buffer that the compiler knows.
constexpr bool is_checked(const char* name) {
  constexpr char kEnd[] = "_chk";
  std::size_t length = 0;
  while (name[length] != '\0') ++length;
  if (length < 4) return false;
  for (std::size_t i = 0; i < 4; ++i) {
    if (name[length - 4 + i] != kEnd[i]) return false;
  }
  return true;
}

}  // namespace

// A call that has nothing to do with the disk is made at once, with its arguments still in their registers: by a system call in this function
// (direct_calls.hpp), or by a jump. A trusted read is made from here. Each further function between the program and the kernel adds a return that the
// processor predicts wrongly after a system call. All other calls are made by a function of their own, because the data that it hands on must lie in
// memory.
#define DISCNICE_TRANSFER(kind, type, name, parameters, arguments, system, fd, count, place)    \
  DISCNICE_EXPORT(type, name, parameters);                                                      \
  type discnice_hook_##name parameters {                                                        \
    const auto call = [=]([[maybe_unused]] std::size_t done, [[maybe_unused]] std::size_t part) \
        __attribute__((always_inline)) {                                                        \
      return DISCNICE_CALL(type, name, arguments, system);                                      \
    };                                                                                          \
    [[maybe_unused]] constexpr std::size_t done = 0;                                            \
    [[maybe_unused]] const std::size_t part = count;                                            \
    OpenFile* const file = known_open_file(fd);                                                 \
    switch (route_at_once(kind, file, count)) {                                                 \
      case Route::bypass:                                                                       \
        if (!is_checked(#name) && calls_directly()) return static_cast<type>(direct system);    \
        if (const auto known = DISCNICE_KNOWN(name); known != nullptr) return known arguments;  \
        break;                                                                                  \
      case Route::trusted:                                                                      \
        if (!is_checked(#name) && calls_directly())                                             \
          return trust.count_alone(static_cast<type>(direct system));                           \
        return [=]() __attribute__((noinline)) {                                                \
          return trust.count(call(0, count));                                                   \
        }                                                                                       \
        ();                                                                                     \
      case Route::predicted:                                                                    \
        break;                                                                                  \
    }                                                                                           \
    return [=]() __attribute__((noinline)) {                                                    \
      return run_transfer({kind, fd, place, count, file}, call);                                \
    }                                                                                           \
    ();                                                                                         \
  }
#define DISCNICE_READ(...) DISCNICE_TRANSFER(OpKind::read, __VA_ARGS__)
#define DISCNICE_WRITE(...) DISCNICE_TRANSFER(OpKind::write, __VA_ARGS__)

#define DISCNICE_OPEN_AT_ONCE(type, system, flags)                                              \
  if (calls_directly()) {                                                                       \
    const std::uint32_t term = trust.term();                                                    \
    if (is_trusted_unseen(flags)) return opened_unseen(static_cast<type>(direct system), term); \
  }                                                                                             \
  static_cast<void>(0)

#define DISCNICE_WAITS static_cast<void>(0)

#define DISCNICE_LEAVE(type, name, parameters, arguments, system) \
  DISCNICE_EXPORT(type, name, parameters);                        \
  type discnice_hook_##name parameters {                          \
    leave_job();                                                  \
    if (DISCNICE_REAL(name) != nullptr) real.name arguments;      \
    while (true) raw system;                                      \
  }

#include "tools/discnice/preload/entry/descriptor_calls.inc"
#include "tools/discnice/preload/entry/interposed.def"

}  // namespace discnice::guest
