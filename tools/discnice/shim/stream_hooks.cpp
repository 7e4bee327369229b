// SPDX-License-Identifier: MIT
// stream_hooks: the wrappers of interposed_streams.def: stdio, settled after the call where the call touched the file.
#include <cstdarg>
#include <cstdio>
#include <cwchar>

#include "tools/discnice/shim/hooks.hpp"
#include "tools/discnice/shim/settled_call.hpp"
#include "tools/discnice/shim/stream_buffer.hpp"

namespace discnice::shim {
namespace {

// One call on a stream: debts are paid where it begins; where it ends the account is looked at, unless all it did was to copy from
// or to the stream's buffer. Then it costs some loads.
class StreamCall {
 public:
  explicit StreamCall(FILE* stream) : job_(job()), stream_(stream), before_(stream) {
    if (job_ != nullptr && has_debt(*job_)) pay_debt(*job_);
  }
  ~StreamCall() {
    if (job_ != nullptr && !StreamMark(stream_).has_only_copied(before_)) settle_if_stale(*job_);
  }
  StreamCall(const StreamCall&) = delete;
  StreamCall& operator=(const StreamCall&) = delete;

 private:
  Job* job_;
  FILE* stream_;
  StreamMark before_;
};

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

#define DISCNICE_STREAM(type, name, parameters, arguments, stream) \
  DISCNICE_EXPORT(type, name, parameters);                         \
  type discnice_hook_##name parameters {                           \
    const StreamCall settled(stream);                              \
    return real_or_resolve(real.name) arguments;                   \
  }

#define DISCNICE_STREAM_LIST(type, name, parameters, arguments, list_form, stream) \
  DISCNICE_EXPORT(type, name, parameters);                                         \
  type discnice_hook_##name parameters {                                           \
    const StreamCall settled(stream);                                              \
    va_list rest;                                                                  \
    va_start(rest, format);                                                        \
    const type result = real_or_resolve(real.list_form) arguments;                 \
    va_end(rest);                                                                  \
    return result;                                                                 \
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
