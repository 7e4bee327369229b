// SPDX-License-Identifier: MIT
// hooks: the wrappers of interposed.def, the calls on descriptors. Each says what the call is and hands the real one to transfer/transfer.hpp.
#include "tools/discnice/preload/entry/hooks.hpp"

#include <cstdarg>
#include <cstdint>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include "toolbox/base/clock.hpp"
#include "tools/discnice/job/caller_memory.hpp"
#include "tools/discnice/job/job.hpp"
#include "tools/discnice/transfer/changed_ranges.hpp"
#include "tools/discnice/transfer/far_writes.hpp"

namespace discnice::shim {
namespace {

constexpr int kNoWaitFlag = 8;  // RWF_NOWAIT

void* at(void* buffer, std::size_t done) {
  return static_cast<char*>(buffer) + done;
}

const void* at(const void* buffer, std::size_t done) {
  return static_cast<const char*>(buffer) + done;
}

off64_t off(std::size_t done) {
  return static_cast<off64_t>(done);
}

// Where preadv2 and its kin read: -1 is the file's own position; a caller that must not be made to wait is
// left alone.
std::int64_t place_of(off64_t offset, int flags) {
  if ((flags & kNoWaitFlag) != 0) return kUntouched;
  return offset < 0 ? kAtPointer : offset;
}

bool is_lock_command(int command) {
  return command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK || command == F_OFD_SETLKW;
}

// A lock was taken or given back. Only giving all of a file back counts as that: programs lock its parts one by one.
void note_record_lock(int fd, const void* argument) {
  struct flock lock {};
  if (!read_caller(argument, &lock, sizeof lock)) return;
  if (lock.l_type != F_UNLCK) return note_lock(fd, gray::base::monotonic_ns());
  note_unlock(fd);
}

// The parameters that say which file is opened have other names in each wrapper; in the raw system call they always stand in the same order.
Opening asked_to_open(long /*number*/, int folder, long path, int flags, mode_t /*mode*/) {
  return before_opening(folder, reinterpret_cast<const char*>(path), flags);
}

bool takes_mode(int flags) {
  return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
}

// Of these libc checks what the compiler knows of the buffer.
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

// Opens by `call`, after what these flags of open() may change was looked at.
template <typename Call>
inline int open_by(int flags, const Opening& opening, Call call) {
  return opened(run_settled(call), flags, opening);
}

}  // namespace

// What is none of the disk's goes on at once, with its words still in their registers: by a system call right here (direct_calls.hpp), or by a
// jump. A trusted read is made from here: one more function between the program and the kernel is one more return that the processor foretells
// wrongly after a system call. All else is a function of its own, as what it hands on has to lie in memory.
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

#define DISCNICE_VECTOR(kind, type, name, parameters, arguments, system, fd, vector, count, place) \
  DISCNICE_EXPORT(type, name, parameters);                                                         \
  type discnice_hook_##name parameters {                                                           \
    const auto call = [&] { return DISCNICE_CALL(type, name, arguments, system); };                \
    return is_bypassed(fd) ? call() : run_vector({kind, fd, place, 0}, vector, count, call);       \
  }
#define DISCNICE_READ_VECTOR(...) DISCNICE_VECTOR(OpKind::read, __VA_ARGS__)
#define DISCNICE_WRITE_VECTOR(...) DISCNICE_VECTOR(OpKind::write, __VA_ARGS__)

#define DISCNICE_COPY(type, name, parameters, arguments, system, from_fd, from_at, to_fd, to_at, count) \
  DISCNICE_EXPORT(type, name, parameters);                                                              \
  type discnice_hook_##name parameters {                                                                \
    return run_copy({OpKind::read, from_fd, kAtPointer, count}, from_at,                                \
                    {OpKind::write, to_fd, kAtPointer, count}, to_at,                                   \
                    [&](std::size_t part) { return DISCNICE_CALL(type, name, arguments, system); });    \
  }

#define DISCNICE_OPEN_BY(type, name, arguments, system, flags)                                              \
  if (calls_directly()) {                                                                                   \
    const std::uint32_t term = trust.term();                                                                \
    if (is_trusted_unseen(flags)) return opened_unseen(static_cast<type>(direct system), term);             \
  }                                                                                                         \
  if (leaves_as_it_is(flags))                                                                               \
    return opened_as_it_is(run_settled([&] { return DISCNICE_QUICK_CALL(type, name, arguments, system); }), \
                           flags);                                                                          \
  return open_by(flags, asked_to_open system, [&] { return DISCNICE_CALL(type, name, arguments, system); })

#define DISCNICE_OPEN_MODE(type, name, parameters, arguments, system) \
  DISCNICE_EXPORT(type, name, parameters);                            \
  type discnice_hook_##name parameters {                              \
    mode_t mode = 0;                                                  \
    if (takes_mode(flags)) {                                          \
      va_list rest;                                                   \
      va_start(rest, flags);                                          \
      mode = va_arg(rest, mode_t);                                    \
      va_end(rest);                                                   \
    }                                                                 \
    DISCNICE_OPEN_BY(type, name, arguments, system, flags);           \
  }

// Of these libc checks whether there had to be a mode.
#define DISCNICE_OPEN(type, name, parameters, arguments, system)                    \
  DISCNICE_EXPORT(type, name, parameters);                                          \
  type discnice_hook_##name parameters {                                            \
    if (takes_mode(flags))                                                          \
      return open_by(flags, asked_to_open system,                                   \
                     [&] { return DISCNICE_CALL(type, name, arguments, system); }); \
    DISCNICE_OPEN_BY(type, name, arguments, system, flags);                         \
  }

#define DISCNICE_CREATE(type, name, parameters, arguments, system)      \
  DISCNICE_EXPORT(type, name, parameters);                              \
  type discnice_hook_##name parameters {                                \
    DISCNICE_OPEN_BY(type, name, arguments, system, O_CREAT | O_TRUNC); \
  }

// Forgotten before the call: afterwards the number may already be another thread's.
#define DISCNICE_CLOSE(type, name, parameters, arguments, system, first, last) \
  DISCNICE_EXPORT(type, name, parameters);                                     \
  type discnice_hook_##name parameters {                                       \
    closing(static_cast<unsigned>(first), static_cast<unsigned>(last));        \
    return DISCNICE_QUICK_CALL(type, name, arguments, system);                 \
  }

#define DISCNICE_CLOSE_FROM(type, name, parameters, arguments, system, first) \
  DISCNICE_EXPORT(type, name, parameters);                                    \
  type discnice_hook_##name parameters {                                      \
    closing(first < 0 ? 0U : static_cast<unsigned>(first), UINT32_MAX);       \
    DISCNICE_CALL(type, name, arguments, system);                             \
  }

#define DISCNICE_DUPLICATE(type, name, parameters, arguments, system)    \
  DISCNICE_EXPORT(type, name, parameters);                               \
  type discnice_hook_##name parameters {                                 \
    return duplicated(fd, DISCNICE_CALL(type, name, arguments, system)); \
  }

#define DISCNICE_SEEK(type, name, parameters, arguments, system, fd)            \
  DISCNICE_EXPORT(type, name, parameters);                                      \
  type discnice_hook_##name parameters {                                        \
    return note_sought(fd, DISCNICE_QUICK_CALL(type, name, arguments, system)); \
  }

#define DISCNICE_CONTROL(type, name, parameters, arguments, system)                           \
  DISCNICE_EXPORT(type, name, parameters);                                                    \
  type discnice_hook_##name parameters {                                                      \
    va_list rest;                                                                             \
    va_start(rest, command);                                                                  \
    void* argument = va_arg(rest, void*);                                                     \
    va_end(rest);                                                                             \
    const type result = DISCNICE_CALL(type, name, arguments, system);                         \
    if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) return duplicated(fd, result);      \
    if (command == F_SETFL) forget_open_file(fd); /* O_DIRECT or O_APPEND may have changed */ \
    if (result == 0 && is_lock_command(command)) note_record_lock(fd, argument);              \
    return result;                                                                            \
  }

#define DISCNICE_STATUS(type, name, parameters, arguments, system, fd, status)        \
  DISCNICE_EXPORT(type, name, parameters);                                            \
  type discnice_hook_##name parameters {                                              \
    if (!wants_status(fd)) return DISCNICE_QUICK_CALL(type, name, arguments, system); \
    const type result = DISCNICE_CALL(type, name, arguments, system);                 \
    if (result == 0) note_status(fd, *reinterpret_cast<const struct stat*>(status));  \
    return result;                                                                    \
  }

#define DISCNICE_UNLINK(type, name, parameters, arguments, system, folder, path) \
  DISCNICE_EXPORT(type, name, parameters);                                       \
  type discnice_hook_##name parameters {                                         \
    const Removal removal = before_removal(folder, path);                        \
    const type result = DISCNICE_CALL(type, name, arguments, system);            \
    if (result == 0) after_removal(removal, 0);                                  \
    return result;                                                               \
  }
// What the new name stood for before is removed, and what it stands for now may be sent to the disk for that.
#define DISCNICE_RENAME(type, name, parameters, arguments, system, folder, path) \
  DISCNICE_EXPORT(type, name, parameters);                                       \
  type discnice_hook_##name parameters {                                         \
    const Removal removal = before_removal(folder, path);                        \
    const type result = DISCNICE_CALL(type, name, arguments, system);            \
    if (result == 0) after_removal(removal, 0);                                  \
    if (result == 0 && removal.is_known) after_replacing(folder, path);          \
    if (result == 0) note_renamed(from, path);                                   \
    return result;                                                               \
  }

#define DISCNICE_TRUNCATE(type, name, parameters, arguments, system, path, size) \
  DISCNICE_EXPORT(type, name, parameters);                                       \
  type discnice_hook_##name parameters {                                         \
    const Removal removal = before_removal(AT_FDCWD, path);                      \
    const type result = DISCNICE_CALL(type, name, arguments, system);            \
    if (result == 0) after_removal(removal, static_cast<std::uint64_t>(size));   \
    return result;                                                               \
  }

#define DISCNICE_TRUNCATE_FD(type, name, parameters, arguments, system, fd, size) \
  DISCNICE_EXPORT(type, name, parameters);                                        \
  type discnice_hook_##name parameters {                                          \
    if (size >= 0) before_truncation(fd, static_cast<std::uint64_t>(size));       \
    const type result = DISCNICE_CALL(type, name, arguments, system);             \
    if (result == 0) after_truncation(fd, static_cast<std::uint64_t>(size));      \
    return result;                                                                \
  }

#define DISCNICE_SYNC(type, name, parameters, arguments, system, fd)  \
  DISCNICE_EXPORT(type, name, parameters);                            \
  type discnice_hook_##name parameters {                              \
    before_sync(fd);                                                  \
    const type result = DISCNICE_CALL(type, name, arguments, system); \
    if (result != 0) return result;                                   \
    after_sync(fd);                                                   \
    return told_of_far_error(fd);                                     \
  }

// posix_fadvise() returns its error instead of setting errno.
#define DISCNICE_ADVISE(type, name, parameters, arguments, system, fd, advice)                       \
  DISCNICE_EXPORT(type, name, parameters);                                                           \
  type discnice_hook_##name parameters {                                                             \
    const type result =                                                                              \
        DISCNICE_REAL(name) != nullptr ? real.name arguments : static_cast<type>(-raw_words system); \
    if (result == 0) after_advice(fd, advice);                                                       \
    return result;                                                                                   \
  }

#define DISCNICE_LOCK(type, name, parameters, arguments, system, fd, is_release) \
  DISCNICE_EXPORT(type, name, parameters);                                       \
  type discnice_hook_##name parameters {                                         \
    const type result = DISCNICE_CALL(type, name, arguments, system);            \
    if (result == 0 && (is_release)) note_unlock(fd);                            \
    if (result == 0 && !(is_release)) note_lock(fd, gray::base::monotonic_ns()); \
    return result;                                                               \
  }

#define DISCNICE_SETTLED(type, name, parameters, arguments, system)                         \
  DISCNICE_EXPORT(type, name, parameters);                                                  \
  type discnice_hook_##name parameters {                                                    \
    return run_settled_after([&] { return DISCNICE_CALL(type, name, arguments, system); }); \
  }

#define DISCNICE_SEND(type, name, parameters, arguments, system, fd, offset, length, flags)              \
  DISCNICE_EXPORT(type, name, parameters);                                                               \
  type discnice_hook_##name parameters {                                                                 \
    const type result = run_settled_after([&] { return DISCNICE_CALL(type, name, arguments, system); }); \
    if (result == 0 && ((flags)&SYNC_FILE_RANGE_WRITE) != 0)                                             \
      after_range_sent(fd, static_cast<std::uint64_t>(offset), static_cast<std::uint64_t>(length));      \
    return result;                                                                                       \
  }

#define DISCNICE_RANGE(type, name, parameters, arguments, system, fd, mode, offset, length)                 \
  DISCNICE_EXPORT(type, name, parameters);                                                                  \
  type discnice_hook_##name parameters {                                                                    \
    const type result = run_settled_after([&] { return DISCNICE_CALL(type, name, arguments, system); });    \
    if (result == 0)                                                                                        \
      note_range_changed(fd, mode, static_cast<std::uint64_t>(offset), static_cast<std::uint64_t>(length)); \
    return result;                                                                                          \
  }

// Of all requests only those that share blocks between files are looked at; the others cost one comparison.
#define DISCNICE_DEVICE_CONTROL(type, name, parameters, arguments, system)                               \
  DISCNICE_EXPORT(type, name, parameters);                                                               \
  type discnice_hook_##name parameters {                                                                 \
    va_list rest;                                                                                        \
    va_start(rest, request);                                                                             \
    void* argument = va_arg(rest, void*);                                                                \
    va_end(rest);                                                                                        \
    if (!shares_blocks(request)) return DISCNICE_CALL(type, name, arguments, system);                    \
    const type result = run_settled_after([&] { return DISCNICE_CALL(type, name, arguments, system); }); \
    if (result == 0) note_shared_blocks(fd, request, argument);                                          \
    return result;                                                                                       \
  }

#define DISCNICE_LEAVE(type, name, parameters, arguments, system) \
  DISCNICE_EXPORT(type, name, parameters);                        \
  type discnice_hook_##name parameters {                          \
    leave_job();                                                  \
    if (DISCNICE_REAL(name) != nullptr) real.name arguments;      \
    while (true) raw system;                                      \
  }

#include "tools/discnice/preload/entry/interposed.def"

}  // namespace discnice::shim
