// SPDX-License-Identifier: MIT
// stream_hooks: the wrappers of interposed_streams.def: stdio. The account is settled after a call that touched the file.
#include <cstdarg>
#include <cstdio>
#include <cwchar>

#include "tools/discnice/kernel/account.hpp"
#include "tools/discnice/observe/recording.hpp"
#include "tools/discnice/preload/entry/hooks.hpp"
#include "tools/discnice/preload/entry/stream_buffer.hpp"
#include "tools/discnice/preload/entry/stream_transfers.hpp"
#include "tools/discnice/transfer/settled_call.hpp"

namespace discnice::guest {
namespace {

// The bytes that stderr may owe before its calls wait. So the last message of a signal handler appears at once, and a program that writes only to stderr is
// still limited.
constexpr std::uint64_t kMessageDebtNs = 1'000'000'000;

// Called after a call that touched the file. Here the wait comes after the call. Before the call it is rarely known whether the call will touch the
// file, and the many calls that do not touch the file must cost next to nothing. The stream is no longer locked during the wait. A thread that is
// cancelled inside stdio has not got its data.
__attribute__((noinline)) void settle_touched(FILE* stream, const StreamBefore& before) {
  Job* here = job();
  if (here == nullptr) return;
  note_stream_written(*here, stream, before);
  settle_if_stale(*here);
  if (has_debt(*here) && (stream != stderr || owes_beyond(*here, kMessageDebtNs))) pay_debt(*here);
}

// One call on a stream. When the call only copied from or to the stream's buffer, this costs one comparison.
class StreamCall {
 public:
  explicit StreamCall(FILE* stream)
      : stream_(stream), before_(stream), account_before_(account_if_measured(job())) {}
  ~StreamCall() {
    if (!StreamMark(stream_).has_only_copied(before_))
      settle_touched(stream_, {before_.pending_bytes(), account_before_});
  }
  StreamCall(const StreamCall&) = delete;
  StreamCall& operator=(const StreamCall&) = delete;

 private:
  FILE* stream_;
  StreamMark before_;
  ThreadAccount account_before_;
};

// A call that changes the stream's position. The bytes in the buffer are written first.
class StreamMove {
 public:
  explicit StreamMove(FILE* stream) : settled_(job()), stream_(stream) {
    if (Job* here = job(); here != nullptr) note_stream_flushed(*here, stream);
  }
  ~StreamMove() {
    if (Job* here = job(); here != nullptr) note_stream_moved(*here, stream_);
  }
  StreamMove(const StreamMove&) = delete;
  StreamMove& operator=(const StreamMove&) = delete;

 private:
  SettledCall settled_;
  FILE* stream_;
};

// A call that reads. The bytes that are not in its buffer are predicted and paid for before the call. `taken(result)` tells how many bytes the call took.
template <typename Call, typename Taken>
auto run_stream_read(FILE* stream, std::uint64_t missing_bytes, Call call, Taken taken) {
  Job* here = missing_bytes == 0 ? nullptr : job();
  if (here == nullptr) return call();
  if (has_debt(*here)) pay_debt(*here);
  StreamRead read(*here, stream, missing_bytes);
  const auto result = [&] {
    const DiskWait wait(here);
    return call();
  }();
  read.done(taken(result));
  settle_if_stale(*here);
  return result;
}

std::uint64_t product(std::size_t size, std::size_t count) {
  std::uint64_t bytes = 0;
  return __builtin_mul_overflow(size, count, &bytes) ? 0 : bytes;
}

std::uint64_t limit_of(int size) {
  return size > 1 ? static_cast<std::uint64_t>(size - 1) : 0;
}

int descriptor_of(FILE* stream) {
  const int errno_before = errno;
  const int fd = fileno_unlocked(stream);
  errno = errno_before;
  return fd;
}

// Forgets the descriptor of a stream that is about to be closed.
void forget_stream(FILE* stream) {
  if (Job* here = job(); here != nullptr) note_stream_flushed(*here, stream);
  const int fd = descriptor_of(stream);
  if (fd < 0) return;
  flush_before_close(fd);
  let_go_before_close(fd);
  note_locks_closed(static_cast<unsigned>(fd), static_cast<unsigned>(fd));
  forget_open_file(fd);
}

// The flags with which fopen() opens a file, as far as they matter here. A null mode is left to the real call.
int flags_of_mode(const char* mode) {
  if (mode == nullptr) return 0;
  if (mode[0] == 'w') return O_CREAT | O_TRUNC;
  return mode[0] == 'a' ? O_CREAT : 0;
}

Opening before_stream(const char* path, const char* mode) {
  return path == nullptr ? Opening{} : before_opening(AT_FDCWD, path, flags_of_mode(mode));
}

FILE* opened_stream(FILE* stream, const char* mode, const Opening& opening) {
  if (stream == nullptr) return stream;
  note_shared(opened(descriptor_of(stream), flags_of_mode(mode), opening));
  if (Job* here = job(); here != nullptr) note_stream_moved(*here, stream);
  return stream;
}

}  // namespace

#define DISCNICE_STREAM(type, name, parameters, arguments, stream) \
  DISCNICE_EXPORT(type, name, parameters);                         \
  type discnice_hook_##name parameters {                           \
    const StreamCall settled(stream);                              \
    return DISCNICE_REAL_ALWAYS(name) arguments;                   \
  }

// The quick path is a function of its own, without a frame.
#define DISCNICE_STREAM_PUT(type, name, parameters, arguments, stream, bytes) \
  DISCNICE_EXPORT(type, name, parameters);                                    \
  static __attribute__((noinline)) type discnice_put_##name parameters {      \
    const StreamCall settled(stream);                                         \
    return DISCNICE_REAL_ALWAYS(name) arguments;                              \
  }                                                                           \
  type discnice_hook_##name parameters {                                      \
    if (!has_room(stream, bytes)) return discnice_put_##name arguments;       \
    return DISCNICE_REAL_ALWAYS(name) arguments;                              \
  }

#define DISCNICE_STREAM_READ(type, name, parameters, arguments, stream, missing, taken)   \
  DISCNICE_EXPORT(type, name, parameters);                                                \
  type discnice_hook_##name parameters {                                                  \
    return run_stream_read(                                                               \
        stream, missing, [&] { return DISCNICE_REAL_ALWAYS(name) arguments; },            \
        [&]([[maybe_unused]] type result) { return static_cast<std::uint64_t>(taken); }); \
  }

#define DISCNICE_STREAM_MOVE(type, name, parameters, arguments, stream) \
  DISCNICE_EXPORT(type, name, parameters);                              \
  type discnice_hook_##name parameters {                                \
    const StreamMove moved(stream);                                     \
    return DISCNICE_REAL_ALWAYS(name) arguments;                        \
  }

#define DISCNICE_STREAM_LIST(type, name, parameters, arguments, list_form, stream) \
  DISCNICE_EXPORT(type, name, parameters);                                         \
  type discnice_hook_##name parameters {                                           \
    const StreamCall settled(stream);                                              \
    va_list rest;                                                                  \
    va_start(rest, format);                                                        \
    const type result = DISCNICE_REAL_ALWAYS(list_form) arguments;                 \
    va_end(rest);                                                                  \
    return result;                                                                 \
  }

#define DISCNICE_STREAM_OPEN(type, name, parameters, arguments, path, mode)    \
  DISCNICE_EXPORT(type, name, parameters);                                     \
  type discnice_hook_##name parameters {                                       \
    const SettledCall settled(job());                                          \
    const Opening opening = before_stream(path, mode);                         \
    return opened_stream(DISCNICE_REAL_ALWAYS(name) arguments, mode, opening); \
  }

#define DISCNICE_STREAM_REOPEN(type, name, parameters, arguments, path, mode, stream) \
  DISCNICE_EXPORT(type, name, parameters);                                            \
  type discnice_hook_##name parameters {                                              \
    const SettledCall settled(job());                                                 \
    const ClosingStream closing(job(), stream);                                       \
    forget_stream(stream);                                                            \
    const Opening opening = before_stream(path, mode);                                \
    return opened_stream(DISCNICE_REAL_ALWAYS(name) arguments, mode, opening);        \
  }

// The descriptor is forgotten before the call, as in close(). The stream's own descriptor was opened inside libc.
#define DISCNICE_STREAM_CLOSE(type, name, parameters, arguments, stream) \
  DISCNICE_EXPORT(type, name, parameters);                               \
  type discnice_hook_##name parameters {                                 \
    const SettledCall settled(job());                                    \
    const ClosingStream closing(job(), stream);                          \
    forget_stream(stream);                                               \
    return DISCNICE_REAL_ALWAYS(name) arguments;                         \
  }

#include "tools/discnice/preload/entry/interposed_streams.def"
#include "tools/discnice/transfer/admission.hpp"

}  // namespace discnice::guest
