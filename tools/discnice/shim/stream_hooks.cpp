// SPDX-License-Identifier: MIT
// stream_hooks: the wrappers of interposed_streams.def: stdio, settled after the call where the call touched the file.
#include <cstdarg>
#include <cstdio>
#include <cwchar>
#include <type_traits>

#include "tools/discnice/shim/hooks.hpp"
#include "tools/discnice/shim/settled_call.hpp"
#include "tools/discnice/shim/stream_buffer.hpp"

namespace discnice::shim {
namespace {

// After a call that touched the file. Waiting comes after it here: whether one will touch it is not to be seen before, and the many that do
// not are to cost next to nothing. The stream is not locked any more, and a thread that is cancelled in stdio never had its data.
__attribute__((noinline)) void settle_touched() {
  Job* here = job();
  if (here == nullptr) return;
  settle_if_stale(*here);
  if (has_debt(*here)) pay_debt(*here);
}

void settle_stream(const StreamMark& before, FILE* stream) {
  if (!StreamMark(stream).has_only_copied(before)) settle_touched();
}

template <typename Call>
auto run_stream(FILE* stream, Call call) {
  const StreamMark before(stream);
  if constexpr (std::is_void_v<decltype(call())>) {
    call();
    settle_stream(before, stream);
  } else {
    const auto result = call();
    settle_stream(before, stream);
    return result;
  }
}

int descriptor_of(FILE* stream) {
  const int errno_before = errno;
  const int fd = fileno_unlocked(stream);
  errno = errno_before;
  return fd;
}

// What the descriptor of a stream that is about to be closed meant.
void forget_stream(FILE* stream) {
  const int fd = descriptor_of(stream);
  if (fd < 0) return;
  note_locks_closed(static_cast<unsigned>(fd), static_cast<unsigned>(fd));
  forget_open_file(fd);
}

FILE* opened_stream(FILE* stream, const char* mode) {
  if (stream == nullptr) return stream;
  opened(descriptor_of(stream), mode[0] == 'w' ? O_TRUNC : 0);
  return stream;
}

}  // namespace

#define DISCNICE_STREAM(type, name, parameters, arguments, stream)                   \
  DISCNICE_EXPORT(type, name, parameters);                                           \
  type discnice_hook_##name parameters {                                             \
    return run_stream(stream, [&] { return real_or_resolve(real.name) arguments; }); \
  }

#define DISCNICE_STREAM_LIST(type, name, parameters, arguments, list_form, stream)                     \
  DISCNICE_EXPORT(type, name, parameters);                                                             \
  type discnice_hook_##name parameters {                                                               \
    va_list rest;                                                                                      \
    va_start(rest, format);                                                                            \
    const type result = run_stream(stream, [&] { return real_or_resolve(real.list_form) arguments; }); \
    va_end(rest);                                                                                      \
    return result;                                                                                     \
  }

#define DISCNICE_STREAM_OPEN(type, name, parameters, arguments, mode) \
  DISCNICE_EXPORT(type, name, parameters);                            \
  type discnice_hook_##name parameters {                              \
    const SettledCall settled(job());                                 \
    return opened_stream(real_or_resolve(real.name) arguments, mode); \
  }

#define DISCNICE_STREAM_REOPEN(type, name, parameters, arguments, mode, stream) \
  DISCNICE_EXPORT(type, name, parameters);                                      \
  type discnice_hook_##name parameters {                                        \
    const SettledCall settled(job());                                           \
    forget_stream(stream);                                                      \
    return opened_stream(real_or_resolve(real.name) arguments, mode);           \
  }

// Forgotten before the call, as by close(); the stream's own descriptor was opened inside libc.
#define DISCNICE_STREAM_CLOSE(type, name, parameters, arguments, stream) \
  DISCNICE_EXPORT(type, name, parameters);                               \
  type discnice_hook_##name parameters {                                 \
    const SettledCall settled(job());                                    \
    forget_stream(stream);                                               \
    return real_or_resolve(real.name) arguments;                         \
  }

#include "tools/discnice/shim/interposed_streams.def"

}  // namespace discnice::shim
