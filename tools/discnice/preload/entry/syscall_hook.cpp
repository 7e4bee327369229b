// SPDX-License-Identifier: MIT
// syscall_hook: the wrapper of syscall(), for programs that make a file operation by its number.
//
// Every other number goes on to libc's syscall() as a jump with all seven words in place. So the library has no effect on calls that change the
// stack or the process (clone, vfork, rt_sigreturn). The numbers handled here are made as raw system calls, with libc's errno. Unlike read() and
// similar functions these raw calls are no cancellation points. So their waits are no cancellation points either.
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <fcntl.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <sys/uio.h>
#include <unistd.h>

#include "toolbox/base/call_numbers.hpp"
#include "tools/discnice/observe/recording.hpp"
#include "tools/discnice/preload/entry/descriptor_calls.hpp"
#include "tools/discnice/preload/entry/real_calls.hpp"
#include "tools/discnice/transfer/queued_transfers.hpp"
#include "tools/discnice/transfer/settled_call.hpp"

namespace discnice::guest {
namespace {

// A word of a call. It converts to the type of the function's parameter.
struct Word {
  long value;
  template <typename T>
  operator T() const {  // NOLINT(google-explicit-constructor): the conversion is its purpose
    if constexpr (std::is_pointer_v<T>)
      return reinterpret_cast<T>(
          value);  // NOLINT(performance-no-int-to-ptr): system calls get pointers as integers
    else
      return static_cast<T>(value);
  }
};

// The seven words of a call.
struct Words {
  long number;
  Word a, b, c, d, e, f;
};

using SetCancelState = int (*)(int state, int* before);
constinit SetCancelState known_set_cancel_state = nullptr;

// Before glibc 2.34 this function is in libpthread, which only programs with threads have.
SetCancelState set_cancel_state() {
  return DISCNICE_SELDOM(known_set_cancel_state, pthread_setcancelstate);
}

// While this object lives, a wait is no cancellation point.
class CancelHold {
 public:
  CancelHold() {
    if (set_ != nullptr) set_(PTHREAD_CANCEL_DISABLE, &before_);
  }
  ~CancelHold() {
    if (set_ != nullptr) set_(before_, nullptr);
  }
  CancelHold(const CancelHold&) = delete;
  CancelHold& operator=(const CancelHold&) = delete;

 private:
  const SetCancelState set_ = set_cancel_state();
  int before_ = PTHREAD_CANCEL_ENABLE;
};

// Some parameters are used only by libc's functions, and below some words are not used.
#pragma GCC diagnostic ignored "-Wunused-parameter"

// The calls of interposed.def once more, each made by its number.
namespace by_number {

#undef DISCNICE_EXPORT
#undef DISCNICE_CALL
#undef DISCNICE_QUICK_CALL
#define DISCNICE_EXPORT(type, name, parameters) [[maybe_unused]] type discnice_hook_##name parameters
#define DISCNICE_CALL(type, name, arguments, ...) static_cast<type>(raw __VA_ARGS__)
#define DISCNICE_QUICK_CALL DISCNICE_CALL
#define DISCNICE_OPEN_AT_ONCE(type, system, flags) static_cast<void>(0)
#define DISCNICE_WAITS const CancelHold hold
#define DISCNICE_LEAVE(...)

#define DISCNICE_TRANSFER(kind, type, name, parameters, arguments, system, fd, count, place) \
  DISCNICE_EXPORT(type, name, parameters) {                                                  \
    const auto call = [=](std::size_t done, std::size_t part) {                              \
      return DISCNICE_CALL(type, name, arguments, system);                                   \
    };                                                                                       \
    if (is_bypassed(fd)) return call(0, count);                                              \
    DISCNICE_WAITS;                                                                          \
    return run_transfer({kind, fd, place, count}, call);                                     \
  }
#define DISCNICE_READ(...) DISCNICE_TRANSFER(OpKind::read, __VA_ARGS__)
#define DISCNICE_WRITE(...) DISCNICE_TRANSFER(OpKind::write, __VA_ARGS__)

#include "tools/discnice/preload/entry/descriptor_calls.inc"
#include "tools/discnice/preload/entry/interposed.def"

}  // namespace by_number

long made(const Words& call) {
  return raw(call.number, call.a, call.b, call.c, call.d, call.e, call.f);
}

long settled(const Words& call) {
  const CancelHold hold;
  const SettledCall around(job());
  return made(call);
}

// The arguments do not tell which operations the program gives to an io_uring ring, and one call may start all of these operations. So the
// account is looked at after each call, not once in a tick.
long entered_ring(const Words& call) {
  const long result = settled(call);
  if (Job* here = job(); here != nullptr) settle(*here);
  return result;
}

int flags_of_how(const void* how) {
  open_how asked{};
  return read_caller(how, &asked, sizeof asked.flags) ? static_cast<int>(asked.flags) : 0;
}

// Openings, removals and renames are made by the number of the system call that the program used. libc uses the number of the *at form instead, but the
// program may have forbidden itself the *at form.
long opened_by(const Words& call, int folder, const char* path, int flags) {
  const CancelHold hold;
  const SettledCall around(job());
  const Opening opening = before_opening(folder, path, flags);
  return opened(static_cast<int>(made(call)), flags, opening);
}

long removed(const Words& call, int folder, const char* path) {
  const CancelHold hold;
  const Removal removal = before_removal(folder, path);
  const long result = made(call);
  if (result == 0) after_removal(removal, 0);
  return result;
}

long renamed(const Words& call, const char* from, int folder, const char* path) {
  const CancelHold hold;
  const Removal removal = before_removal(folder, path);
  const long result = made(call);
  if (result != 0) return result;
  after_removal(removal, 0);
  if (removal.is_known) after_replacing(folder, path);
  note_renamed(from, path);
  return result;
}

long folder_made(const Words& call, int folder, const char* path) {
  const ThreadAccount before = account_if_measured(job());
  const long result = settled(call);
  if (result == 0) after_folder_made(folder, path, before);
  return result;
}

// posix_fadvise() returns its error instead of setting errno.
long advised(int error) {
  if (error == 0) return 0;
  errno = error;
  return -1;
}

long user_changed(const Words& call) {
  const long result = made(call);
  if (result == 0) leave_when_other_user();
  return result;
}

long submitted(const Words& call) {
  const CancelHold hold;
  Job* here = job();
  const SettledCall around(here);
  if (here != nullptr) charge_submitted(*here, call.b, call.c);
  return made(call);
}

// The numbers that some architectures have besides the *at form. On an architecture without such a number, it is a number that no call has.
#ifdef SYS_open
constexpr long kOpen = SYS_open, kCreat = SYS_creat, kUnlink = SYS_unlink, kRename = SYS_rename,
               kDup2 = SYS_dup2, kStat = SYS_stat, kLstat = SYS_lstat, kGetdents = SYS_getdents,
               kAccess = SYS_access, kReadlink = SYS_readlink, kMkdir = SYS_mkdir, kRmdir = SYS_rmdir,
               kLink = SYS_link, kSymlink = SYS_symlink;
#else
constexpr long kOpen = -1, kCreat = -2, kUnlink = -3, kRename = -4, kDup2 = -5, kStat = -6, kLstat = -7,
               kGetdents = -8, kAccess = -9, kReadlink = -10, kMkdir = -11, kRmdir = -12, kLink = -13,
               kSymlink = -14;
#endif

// One list, used twice: to tell which calls are handled, and how.
//   DISCNICE_NUMBER(number, function of interposed.def and which words it takes)
//   DISCNICE_OTHER(number, what to do with `call`)
#define DISCNICE_TRANSFER_NUMBERS                                                                       \
  DISCNICE_NUMBER(SYS_read, read(call.a, call.b, call.c))                                               \
  DISCNICE_NUMBER(SYS_pread64, pread64(call.a, call.b, call.c, call.d))                                 \
  DISCNICE_NUMBER(SYS_write, write(call.a, call.b, call.c))                                             \
  DISCNICE_NUMBER(SYS_pwrite64, pwrite64(call.a, call.b, call.c, call.d))                               \
  DISCNICE_NUMBER(SYS_readv, readv(call.a, call.b, call.c))                                             \
  DISCNICE_NUMBER(SYS_preadv, preadv64(call.a, call.b, call.c, call.d))                                 \
  DISCNICE_NUMBER(SYS_preadv2, preadv64v2(call.a, call.b, call.c, call.d, call.f))                      \
  DISCNICE_NUMBER(SYS_writev, writev(call.a, call.b, call.c))                                           \
  DISCNICE_NUMBER(SYS_pwritev, pwritev64(call.a, call.b, call.c, call.d))                               \
  DISCNICE_NUMBER(SYS_pwritev2, pwritev64v2(call.a, call.b, call.c, call.d, call.f))                    \
  DISCNICE_NUMBER(SYS_copy_file_range, copy_file_range(call.a, call.b, call.c, call.d, call.e, call.f)) \
  DISCNICE_NUMBER(SYS_splice, splice(call.a, call.b, call.c, call.d, call.e, call.f))                   \
  DISCNICE_NUMBER(SYS_sendfile, sendfile64(call.a, call.b, call.c, call.d))                             \
  DISCNICE_OTHER(SYS_io_submit, submitted(call))

#define DISCNICE_FILE_NUMBERS                                                                       \
  DISCNICE_OTHER(kOpen, opened_by(call, AT_FDCWD, call.a, call.b))                                  \
  DISCNICE_OTHER(kCreat, opened_by(call, AT_FDCWD, call.a, O_CREAT | O_TRUNC))                      \
  DISCNICE_OTHER(SYS_openat, opened_by(call, call.a, call.b, call.c))                               \
  DISCNICE_OTHER(SYS_openat2, opened_by(call, call.a, call.b, flags_of_how(call.c)))                \
  DISCNICE_NUMBER(SYS_close, close(call.a))                                                         \
  DISCNICE_NUMBER(SYS_close_range, close_range(call.a, call.b, call.c))                             \
  DISCNICE_NUMBER(SYS_dup, dup(call.a))                                                             \
  DISCNICE_NUMBER(SYS_dup3, dup3(call.a, call.b, call.c))                                           \
  DISCNICE_OTHER(kDup2, duplicated(call.a, static_cast<int>(made(call))))                           \
  DISCNICE_NUMBER(SYS_lseek, lseek64(call.a, call.b, call.c))                                       \
  DISCNICE_NUMBER(SYS_fcntl, fcntl64(call.a, call.b, static_cast<void*>(call.c)))                   \
  DISCNICE_NUMBER(SYS_ioctl, ioctl(call.a, call.b, static_cast<void*>(call.c)))                     \
  DISCNICE_NUMBER(SYS_fstat, fstat(call.a, call.b))                                                 \
  DISCNICE_OTHER(kUnlink, removed(call, AT_FDCWD, call.a))                                          \
  DISCNICE_OTHER(SYS_unlinkat, removed(call, call.a, call.b))                                       \
  DISCNICE_OTHER(kRename, renamed(call, call.a, AT_FDCWD, call.b))                                  \
  DISCNICE_OTHER(SYS_renameat, renamed(call, call.b, call.c, call.d))                               \
  DISCNICE_OTHER(                                                                                   \
      SYS_renameat2,                                                                                \
      renamed(call, call.b, call.c,                                                                 \
              (call.e.value & RENAME_EXCHANGE) != 0 ? nullptr : static_cast<const char*>(call.d)))  \
  DISCNICE_NUMBER(SYS_truncate, truncate64(call.a, call.b))                                         \
  DISCNICE_NUMBER(SYS_ftruncate, ftruncate64(call.a, call.b))                                       \
  DISCNICE_NUMBER(SYS_flock, flock(call.a, call.b))                                                 \
  DISCNICE_NUMBER(SYS_fsync, fsync(call.a))                                                         \
  DISCNICE_NUMBER(SYS_fdatasync, fdatasync(call.a))                                                 \
  DISCNICE_NUMBER(SYS_sync_file_range, sync_file_range(call.a, call.b, call.c, call.d))             \
  DISCNICE_NUMBER(SYS_fallocate, fallocate64(call.a, call.b, call.c, call.d))                       \
  DISCNICE_NUMBER(SYS_readahead, readahead(call.a, call.b, call.c))                                 \
  DISCNICE_OTHER(SYS_fadvise64,                                                                     \
                 advised(by_number::discnice_hook_posix_fadvise64(call.a, call.b, call.c, call.d))) \
  DISCNICE_OTHER(kMkdir, folder_made(call, AT_FDCWD, call.a))                                       \
  DISCNICE_OTHER(SYS_mkdirat, folder_made(call, call.a, call.b))                                    \
  DISCNICE_OTHER(SYS_setuid, user_changed(call))                                                    \
  DISCNICE_OTHER(SYS_setreuid, user_changed(call))                                                  \
  DISCNICE_OTHER(SYS_setresuid, user_changed(call))                                                 \
  DISCNICE_OTHER(SYS_io_uring_enter, entered_ring(call))                                            \
  DISCNICE_SETTLED_NUMBERS

// Nothing is predicted for these calls.
#define DISCNICE_SETTLED_NUMBERS                \
  DISCNICE_OTHER(SYS_syncfs, settled(call))     \
  DISCNICE_OTHER(SYS_msync, settled(call))      \
  DISCNICE_OTHER(SYS_getdents64, settled(call)) \
  DISCNICE_OTHER(kGetdents, settled(call))      \
  DISCNICE_OTHER(kStat, settled(call))          \
  DISCNICE_OTHER(kLstat, settled(call))         \
  DISCNICE_OTHER(SYS_newfstatat, settled(call)) \
  DISCNICE_OTHER(SYS_statx, settled(call))      \
  DISCNICE_OTHER(kAccess, settled(call))        \
  DISCNICE_OTHER(SYS_faccessat, settled(call))  \
  DISCNICE_OTHER(kReadlink, settled(call))      \
  DISCNICE_OTHER(SYS_readlinkat, settled(call)) \
  DISCNICE_OTHER(SYS_getxattr, settled(call))   \
  DISCNICE_OTHER(SYS_lgetxattr, settled(call))  \
  DISCNICE_OTHER(SYS_fgetxattr, settled(call))  \
  DISCNICE_OTHER(SYS_listxattr, settled(call))  \
  DISCNICE_OTHER(SYS_llistxattr, settled(call)) \
  DISCNICE_OTHER(SYS_flistxattr, settled(call)) \
  DISCNICE_OTHER(SYS_chdir, settled(call))      \
  DISCNICE_OTHER(kRmdir, settled(call))         \
  DISCNICE_OTHER(kLink, settled(call))          \
  DISCNICE_OTHER(SYS_linkat, settled(call))     \
  DISCNICE_OTHER(kSymlink, settled(call))       \
  DISCNICE_OTHER(SYS_symlinkat, settled(call))

// One bit for each of the first numbers: whether it is handled. All handled numbers are below kNumbersMax on every architecture.
constexpr long kNumbersMax = 512;
struct HandledNumbers {
  std::uint64_t bits[kNumbersMax / 64] = {};
  constexpr void add(long number) {
    if (number >= 0 && number < kNumbersMax) bits[number / 64] |= std::uint64_t{1} << (number % 64);
  }
  constexpr HandledNumbers() {
#define DISCNICE_NUMBER(number, ...) add(number);
#define DISCNICE_OTHER DISCNICE_NUMBER
    DISCNICE_TRANSFER_NUMBERS
    DISCNICE_FILE_NUMBERS
#undef DISCNICE_NUMBER
#undef DISCNICE_OTHER
  }
};

#define DISCNICE_NUMBER(number, function_and_words) \
  case number:                                      \
    return static_cast<long>(by_number::discnice_hook_##function_and_words);
#define DISCNICE_OTHER(number, action) \
  case number:                         \
    return action;

long on_file(const Words& call) {
  switch (call.number) {
    DISCNICE_FILE_NUMBERS
    default:
      return made(call);
  }
}

long on_disk(const Words& call) {
  switch (call.number) {
    DISCNICE_TRANSFER_NUMBERS
    default:
      return on_file(call);
  }
}

}  // namespace

// The assembler names by which the hook below uses its parts. The compiler does not see these uses.
#define DISCNICE_PART __attribute__((used, visibility("hidden")))
DISCNICE_PART constinit HandledNumbers handled_numbers __asm__("discnice_handled_numbers");

DISCNICE_PART long on_handled(long number, long a, long b, long c, long d, long e,
                              long f) __asm__("discnice_on_handled");
long on_handled(long number, long a, long b, long c, long d, long e, long f) {
  const Words call{number, {a}, {b}, {c}, {d}, {e}, {f}};
  return job() != nullptr ? on_disk(call) : made(call);
}

// Called before the constructor has run.
DISCNICE_PART long on_early(long number, long a, long b, long c, long d, long e,
                            long f) __asm__("discnice_on_early");
long on_early(long number, long a, long b, long c, long d, long e, long f) {
  return raw(number, a, b, c, d, e, f);
}

#if defined(__x86_64__)
// Written by hand, because the seventh word lies in the frame of the caller. A caller that passed fewer words has something of its own there, which
// another thread may be writing. A compiler that arranges the words for the next function would write back the value that it
// has read.
#define DISCNICE_SYSCALL(type, name, parameters, arguments)                        \
  DISCNICE_EXPORTED(type, name, parameters);                                       \
  __attribute__((naked)) type discnice_hook_##name parameters {                    \
    __asm__(                                                                       \
        "endbr64\n\t"                                                              \
        "cmpq %[numbers_max], %%rdi\n\t"                                           \
        "jae 1f\n\t"                                                               \
        "leaq discnice_handled_numbers(%%rip), %%rax\n\t"                          \
        "movq %%rdi, %%r11\n\t"                                                    \
        "shrq $6, %%r11\n\t"                                                       \
        "movq (%%rax,%%r11,8), %%rax\n\t"                                          \
        "btq %%rdi, %%rax\n\t"                                                     \
        "jc discnice_on_handled\n"                                                 \
        "1:\n\t"                                                                   \
        "movq discnice_real_calls+%c[place](%%rip), %%rax\n\t"                     \
        "testq %%rax, %%rax\n\t"                                                   \
        "jz discnice_on_early\n\t"                                                 \
        "jmp *%%rax"                                                               \
        :                                                                          \
        : [numbers_max] "i"(kNumbersMax), [place] "i"(offsetof(RealCalls, name))); \
  }

#else

// On machines where all seven words are in registers, the compiler's own jump is enough.
#define DISCNICE_SYSCALL(type, name, parameters, arguments)                                  \
  DISCNICE_EXPORTED(type, name, parameters);                                                 \
  type discnice_hook_##name parameters {                                                     \
    const auto index = static_cast<unsigned long>(number);                                   \
    const bool is_handled =                                                                  \
        index < kNumbersMax && (handled_numbers.bits[index / 64] >> (index % 64) & 1U) != 0; \
    if (is_handled) return on_handled arguments;                                             \
    if (real.name == nullptr) return on_early arguments;                                     \
    return real.name arguments;                                                              \
  }

#endif

#include "tools/discnice/preload/entry/interposed_syscall.def"

}  // namespace discnice::guest
