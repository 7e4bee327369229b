// SPDX-License-Identifier: MIT
// syscall_hook: syscall(), for programs that name a file operation by its number.
//
// Every other number goes on to libc's syscall() as a jump with all seven words in place, so that whatever it does to the stack or to
// the process (clone, vfork, rt_sigreturn) is between the program and libc. The numbers handled here are made as raw system calls,
// with libc's errno. Unlike read() and its kin they are no cancellation points, so their waits are none either.
#include <cstddef>
#include <cstdint>

#include <fcntl.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tools/discnice/job/caller_memory.hpp"
#include "tools/discnice/preload/entry/hooks.hpp"
#include "tools/discnice/preload/entry/real_calls.hpp"
#include "tools/discnice/transfer/changed_ranges.hpp"
#include "tools/discnice/transfer/far_writes.hpp"
#include "tools/discnice/transfer/queued_transfers.hpp"
#include "tools/discnice/transfer/settled_call.hpp"

namespace discnice::shim {
namespace {

constexpr int kNoWaitFlag = 8;  // RWF_NOWAIT

// The seven words of a call.
struct Words {
  long number;
  long a, b, c, d, e, f;
};

using SetCancelState = int (*)(int state, int* before);
constinit SetCancelState known_set_cancel_state = nullptr;

// Before glibc 2.34 it lives in libpthread, which only programs with threads have.
SetCancelState set_cancel_state() {
  return DISCNICE_SELDOM(known_set_cancel_state, pthread_setcancelstate);
}

// A wait inside is not to be a point where the thread is cancelled.
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

template <typename T>
T* pointer(long word) {
  return reinterpret_cast<T*>(word);  // NOLINT(performance-no-int-to-ptr): that is how system calls get them
}

long made(const Words& call) {
  return raw(call.number, call.a, call.b, call.c, call.d, call.e, call.f);
}

int fd_of(long word) {
  return static_cast<int>(word);
}

// read, write, pread64 and pwrite64.
long transferred(OpKind kind, const Words& call, bool has_place) {
  const auto run = [&](std::size_t done, std::size_t part) {
    return static_cast<ssize_t>(raw(call.number, call.a, call.b + static_cast<long>(done),
                                    static_cast<long>(part),
                                    call.d + (has_place ? static_cast<long>(done) : 0), call.e, call.f));
  };
  const auto count = static_cast<std::size_t>(call.c);
  if (is_bypassed(fd_of(call.a))) return run(0, count);
  const CancelHold hold;
  return run_transfer({kind, fd_of(call.a), has_place ? call.d : kAtPointer, count}, run);
}

// readv, writev and their kin; `place` as in interposed.def.
long vectored(OpKind kind, const Words& call, std::int64_t place) {
  const auto run = [&] { return static_cast<ssize_t>(made(call)); };
  if (is_bypassed(fd_of(call.a))) return run();
  const CancelHold hold;
  return run_vector({kind, fd_of(call.a), place, 0}, pointer<const iovec>(call.b), static_cast<int>(call.c),
                    run);
}

std::int64_t place_of(const Words& call) {
  if ((call.f & kNoWaitFlag) != 0) return kUntouched;
  return call.d < 0 ? kAtPointer : call.d;
}

// copy_file_range and splice.
long copied(const Words& call) {
  const CancelHold hold;
  return run_copy({OpKind::read, fd_of(call.a), kAtPointer, static_cast<std::uint64_t>(call.e)},
                  pointer<const off64_t>(call.b), {OpKind::write, fd_of(call.c), kAtPointer, 0},
                  pointer<const off64_t>(call.d), [&](std::size_t part) {
                    return static_cast<ssize_t>(
                        raw(call.number, call.a, call.b, call.c, call.d, static_cast<long>(part), call.f));
                  });
}

long sent(const Words& call) {
  const CancelHold hold;
  return run_copy({OpKind::read, fd_of(call.b), kAtPointer, static_cast<std::uint64_t>(call.d)},
                  pointer<const off64_t>(call.c), {OpKind::write, fd_of(call.a), kAtPointer, 0}, nullptr,
                  [&](std::size_t part) {
                    return static_cast<ssize_t>(
                        raw(call.number, call.a, call.b, call.c, static_cast<long>(part), call.e, call.f));
                  });
}

long settled(const Words& call) {
  const CancelHold hold;
  const SettledCall around(job());
  return made(call);
}

// What a ring is given to do no argument tells, and one call may do all of it: the account is looked at each time, not once a tick.
long entered_ring(const Words& call) {
  const long result = settled(call);
  if (Job* here = job(); here != nullptr) settle(*here);
  return result;
}

long opened_by(const Words& call, int folder, long path, long flags) {
  const CancelHold hold;
  const SettledCall around(job());
  const Opening opening = before_opening(folder, pointer<const char>(path), static_cast<int>(flags));
  return opened(static_cast<int>(made(call)), static_cast<int>(flags), opening);
}

long flags_of_how(long how) {
  open_how asked{};
  return read_caller(pointer<const void>(how), &asked, sizeof asked.flags) ? static_cast<long>(asked.flags)
                                                                           : 0;
}

long removed(const Words& call, int folder, long path) {
  const CancelHold hold;
  const Removal removal = before_removal(folder, pointer<const char>(path));
  const long result = made(call);
  if (result == 0) after_removal(removal, 0);
  return result;
}

long renamed(const Words& call, int folder, long path) {
  const CancelHold hold;
  const Removal removal = before_removal(folder, pointer<const char>(path));
  const long result = made(call);
  if (result == 0) after_removal(removal, 0);
  if (result == 0 && removal.is_known) after_replacing(folder, pointer<const char>(path));
  return result;
}

long truncated(const Words& call) {
  const CancelHold hold;
  if (call.b >= 0) before_truncation(fd_of(call.a), static_cast<std::uint64_t>(call.b));
  const long result = made(call);
  if (result == 0) after_truncation(fd_of(call.a), static_cast<std::uint64_t>(call.b));
  return result;
}

long synced(const Words& call) {
  before_sync(fd_of(call.a));
  const long result = made(call);
  if (result != 0) return result;
  after_sync(fd_of(call.a));
  return told_of_far_error(fd_of(call.a));
}

long changed(const Words& call) {
  const long result = settled(call);
  if (result == 0)
    note_range_changed(fd_of(call.a), static_cast<int>(call.b), static_cast<std::uint64_t>(call.c),
                       static_cast<std::uint64_t>(call.d));
  return result;
}

long range_sent(const Words& call) {
  const long result = settled(call);
  if (result == 0 && (call.d & SYNC_FILE_RANGE_WRITE) != 0)
    after_range_sent(fd_of(call.a), static_cast<std::uint64_t>(call.b), static_cast<std::uint64_t>(call.c));
  return result;
}

long closed(const Words& call, long last) {
  closing(static_cast<unsigned>(call.a), static_cast<unsigned>(last));
  return made(call);
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
  if (here != nullptr) charge_submitted(*here, call.b, pointer<struct iocb*>(call.c));
  return made(call);
}

// The numbers of what an architecture may have besides the *at form; one that no call has where it lacks it.
#ifdef SYS_open
constexpr long kOpen = SYS_open;
constexpr long kCreat = SYS_creat;
constexpr long kUnlink = SYS_unlink;
constexpr long kRename = SYS_rename;
constexpr long kDup2 = SYS_dup2;
constexpr long kStat = SYS_stat;
constexpr long kLstat = SYS_lstat;
constexpr long kGetdents = SYS_getdents;
#else
constexpr long kOpen = -1, kCreat = -2, kUnlink = -3, kRename = -4, kDup2 = -5, kStat = -6, kLstat = -7,
               kGetdents = -8;
#endif

// One list, told apart twice: what is to be looked at, and how. DISCNICE_NUMBER(number, what to do with `call`).
#define DISCNICE_TRANSFER_NUMBERS                                              \
  DISCNICE_NUMBER(SYS_read, transferred(OpKind::read, call, false))            \
  DISCNICE_NUMBER(SYS_pread64, transferred(OpKind::read, call, true))          \
  DISCNICE_NUMBER(SYS_write, transferred(OpKind::write, call, false))          \
  DISCNICE_NUMBER(SYS_pwrite64, transferred(OpKind::write, call, true))        \
  DISCNICE_NUMBER(SYS_readv, vectored(OpKind::read, call, kAtPointer))         \
  DISCNICE_NUMBER(SYS_preadv, vectored(OpKind::read, call, call.d))            \
  DISCNICE_NUMBER(SYS_preadv2, vectored(OpKind::read, call, place_of(call)))   \
  DISCNICE_NUMBER(SYS_writev, vectored(OpKind::write, call, kAtPointer))       \
  DISCNICE_NUMBER(SYS_pwritev, vectored(OpKind::write, call, call.d))          \
  DISCNICE_NUMBER(SYS_pwritev2, vectored(OpKind::write, call, place_of(call))) \
  DISCNICE_NUMBER(SYS_copy_file_range, copied(call))                           \
  DISCNICE_NUMBER(SYS_splice, copied(call))                                    \
  DISCNICE_NUMBER(SYS_sendfile, sent(call))                                    \
  DISCNICE_NUMBER(SYS_io_submit, submitted(call))

#define DISCNICE_FILE_NUMBERS                                                                                \
  DISCNICE_NUMBER(kOpen, opened_by(call, AT_FDCWD, call.a, call.b))                                          \
  DISCNICE_NUMBER(kCreat, opened_by(call, AT_FDCWD, call.a, O_CREAT | O_TRUNC))                              \
  DISCNICE_NUMBER(SYS_openat, opened_by(call, fd_of(call.a), call.b, call.c))                                \
  DISCNICE_NUMBER(SYS_openat2, opened_by(call, fd_of(call.a), call.b, flags_of_how(call.c)))                 \
  DISCNICE_NUMBER(SYS_close, closed(call, call.a))                                                           \
  DISCNICE_NUMBER(SYS_close_range, closed(call, call.b))                                                     \
  DISCNICE_NUMBER(SYS_dup, duplicated(fd_of(call.a), static_cast<int>(made(call))))                          \
  DISCNICE_NUMBER(kDup2, duplicated(fd_of(call.a), static_cast<int>(made(call))))                            \
  DISCNICE_NUMBER(SYS_dup3, duplicated(fd_of(call.a), static_cast<int>(made(call))))                         \
  DISCNICE_NUMBER(SYS_lseek, note_sought(fd_of(call.a), made(call)))                                         \
  DISCNICE_NUMBER(kUnlink, removed(call, AT_FDCWD, call.a))                                                  \
  DISCNICE_NUMBER(SYS_unlinkat, removed(call, fd_of(call.a), call.b))                                        \
  DISCNICE_NUMBER(kRename, renamed(call, AT_FDCWD, call.b))                                                  \
  DISCNICE_NUMBER(SYS_renameat, renamed(call, fd_of(call.c), call.d))                                        \
  DISCNICE_NUMBER(SYS_renameat2, renamed(call, fd_of(call.c), (call.e & RENAME_EXCHANGE) != 0 ? 0 : call.d)) \
  DISCNICE_NUMBER(SYS_ftruncate, truncated(call))                                                            \
  DISCNICE_NUMBER(SYS_fsync, synced(call))                                                                   \
  DISCNICE_NUMBER(SYS_fdatasync, synced(call))                                                               \
  DISCNICE_NUMBER(SYS_sync_file_range, range_sent(call))                                                     \
  DISCNICE_NUMBER(SYS_readahead, settled(call))                                                              \
  DISCNICE_NUMBER(SYS_fallocate, changed(call))                                                              \
  DISCNICE_NUMBER(SYS_syncfs, settled(call))                                                                 \
  DISCNICE_NUMBER(SYS_msync, settled(call))                                                                  \
  DISCNICE_NUMBER(SYS_getdents64, settled(call))                                                             \
  DISCNICE_NUMBER(kGetdents, settled(call))                                                                  \
  DISCNICE_NUMBER(kStat, settled(call))                                                                      \
  DISCNICE_NUMBER(kLstat, settled(call))                                                                     \
  DISCNICE_NUMBER(SYS_newfstatat, settled(call))                                                             \
  DISCNICE_NUMBER(SYS_statx, settled(call))                                                                  \
  DISCNICE_NUMBER(SYS_setuid, user_changed(call))                                                            \
  DISCNICE_NUMBER(SYS_setreuid, user_changed(call))                                                          \
  DISCNICE_NUMBER(SYS_setresuid, user_changed(call))                                                         \
  DISCNICE_NUMBER(SYS_io_uring_enter, entered_ring(call))

// A bit each: which of the first numbers are looked at. All are below it on every architecture.
constexpr long kNumbersMax = 512;
struct HandledNumbers {
  std::uint64_t bits[kNumbersMax / 64] = {};
  constexpr void add(long number) {
    if (number >= 0 && number < kNumbersMax) bits[number / 64] |= std::uint64_t{1} << (number % 64);
  }
  constexpr HandledNumbers() {
#define DISCNICE_NUMBER(number, action) add(number);
    DISCNICE_TRANSFER_NUMBERS
    DISCNICE_FILE_NUMBERS
#undef DISCNICE_NUMBER
  }
};

long on_file(const Words& call) {
  switch (call.number) {
#define DISCNICE_NUMBER(number, action) \
  case number:                          \
    return action;
    DISCNICE_FILE_NUMBERS
#undef DISCNICE_NUMBER
    default:
      return made(call);
  }
}

long on_disk(const Words& call) {
  switch (call.number) {
#define DISCNICE_NUMBER(number, action) \
  case number:                          \
    return action;
    DISCNICE_TRANSFER_NUMBERS
#undef DISCNICE_NUMBER
    default:
      return on_file(call);
  }
}

}  // namespace

// The names by which the hook below knows its parts, which the compiler does not see it use.
#define DISCNICE_PART __attribute__((used, visibility("hidden")))
DISCNICE_PART constinit HandledNumbers handled_numbers __asm__("discnice_handled_numbers");

DISCNICE_PART long on_handled(long number, long a, long b, long c, long d, long e,
                              long f) __asm__("discnice_on_handled");
long on_handled(long number, long a, long b, long c, long d, long e, long f) {
  const Words call{number, a, b, c, d, e, f};
  return job() != nullptr ? on_disk(call) : made(call);
}

// Before the constructor.
DISCNICE_PART long on_early(long number, long a, long b, long c, long d, long e,
                            long f) __asm__("discnice_on_early");
long on_early(long number, long a, long b, long c, long d, long e, long f) {
  return raw(number, a, b, c, d, e, f);
}

#if defined(__x86_64__)
#pragma GCC diagnostic ignored "-Wunused-parameter"  // the words stay where they are

// By hand, because the seventh word lies in the frame of the caller. One that passed fewer has something of its own there, which another
// thread may be writing, and a compiler that arranges the words for the next function writes back what it has read.
#define DISCNICE_SYSCALL(type, name, parameters, arguments)                        \
  DISCNICE_EXPORT(type, name, parameters);                                         \
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

// Where all seven words travel in registers the compiler's own jump does.
#define DISCNICE_SYSCALL(type, name, parameters, arguments)                                  \
  DISCNICE_EXPORT(type, name, parameters);                                                   \
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

}  // namespace discnice::shim
