// SPDX-License-Identifier: MIT
// lifecycle: joins a job when the library is loaded, notices a fork, and leaves the job at exit and when the process becomes another user.
//
// The constructor calls nothing that sets errno, and it never ends the program: on any failure the program runs as if the library were not loaded.
// Some loaders (musl's) hand a constructor no arguments. Then the constructor uses no arguments, and all calls of the program pass through unchanged.
//
// After a fork the child must take a slot of its own. The kernel wipes the fork mark in a forked child (MADV_WIPEONFORK). The child's first hooked
// call finds the mark wiped and takes the slot. A vfork child runs in its parent's memory, so it sees the parent's mark and
// counts on the parent's account.
//
// The first hooked call makes the mark, and not the constructor, because making the mark takes a sixth of the time of a start, and many programs make
// no hooked call. So a forked child may find no mark at all. The child then recognises itself by its process number, and asks the kernel whether
// child and parent share their memory, as after vfork. If they do, the child makes no mark, because the parent would take that mark for its own. If
// the kernel does not tell, no mark is made either, and each call asks for the process number. A parent that finds its child's number in its memory
// returns to its own slot.
#include <cerrno>
#include <cstring>
#include <ctime>

#include <linux/kcmp.h>
#include <sys/syscall.h>

#include "toolbox/base/raw_sys.hpp"
#include "tools/discnice/descriptor/trust.hpp"
#include "tools/discnice/job/fork_mark.hpp"
#include "tools/discnice/job/job.hpp"
#include "tools/discnice/kernel/account.hpp"
#include "tools/discnice/observe/callsite.hpp"
#include "tools/discnice/observe/profiling.hpp"
#include "tools/discnice/observe/recording.hpp"
#include "tools/discnice/preload/entry/real_calls.hpp"
#include "tools/discnice/preload/process/environment.hpp"
#include "tools/discnice/protocol/ring.hpp"
#include "tools/discnice/protocol/segment.hpp"
#include "tools/discnice/protocol/segment_guard.hpp"
#include "tools/discnice/transfer/own_cache.hpp"

namespace discnice::guest {
namespace {

using gray::base::is_raw_error;
using gray::base::raw_syscall;
using gray::base::Result;
using gray::base::word;
using protocol::Segment;

constexpr int kStandardError = 2;
constexpr std::uint32_t kNobody = 0;  // no process has this number

using detail::joined;

constinit Job this_job{};
std::uint32_t loaded_pid = 0;  // of the process in which this program image was loaded
// The process that set the fork mark last. A forked child has a copy of this number, and finds the mark wiped. kNobody: the mark is not made yet.
std::atomic<std::uint32_t> marked_pid{kNobody};

std::uint32_t own_pid() {
  return static_cast<std::uint32_t>(raw_syscall(SYS_getpid));
}

// Uses a system call: the first look at the clock of the vDSO costs two page faults, and many short programs never use that clock.
std::uint64_t coarse_ns() {
  timespec now{};
  raw_syscall(SYS_clock_gettime, CLOCK_MONOTONIC_COARSE, word(&now));
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

// Replaces control characters, because a variable may hold commands for a terminal.
char without_controls(char letter) {
  const auto byte = static_cast<unsigned char>(letter);
  return byte < 0x20 || byte == 0x7f ? '?' : letter;
}

void say(const char* entry, const char* text) {
  char line[320] = "libdiscnice: ";
  const auto append = [&line](const char* part, std::size_t length_max) {
    const std::size_t used = std::strlen(line);
    const std::size_t room = sizeof line - used - 2;
    std::size_t length = strnlen(part, length_max);
    if (length > room) length = room;
    std::memcpy(line + used, part, length);
    for (std::size_t i = used; i < used + length; ++i) line[i] = without_controls(line[i]);
    line[used + length] = '\0';
  };
  constexpr std::size_t kShownMax = 80;
  if (entry != nullptr) {
    append(entry, kShownMax);
    append(" ", 1);
  }
  append(text, sizeof line);
  append("; the program runs without a limit", sizeof line);
  const std::size_t length = std::strlen(line);
  line[length] = '\n';  // there is room for it
  raw_syscall(SYS_write, kStandardError, word(line), static_cast<long>(length + 1));
}

// A job without a ring goes on, and is not recorded.
void find_ring(Segment& segment) {
  if (segment.options.recorded == 0) return;
  this_job.ring = protocol::join_ring(this_job.name).value_or(nullptr);
  if (this_job.ring != nullptr) protocol::guard_memory(this_job.ring, sizeof(protocol::Ring));
}

void enter_job(Segment& segment, protocol::JoinKind kind) {
  const std::uint32_t parent_pid =
      this_job.pid;  // for a forked child, whose memory is still a copy of the parent's
  this_job.segment = &segment;
  this_job.pid = own_pid();
  this_job.pid_namespace = protocol::own_pid_namespace(segment);
  this_job.epoch = segment.member_epoch.fetch_add(1, std::memory_order_relaxed) + 1;
  this_job.member = &protocol::enter(segment, {this_job.pid, this_job.pid_namespace}, kind);
  begin_account(this_job, kind);
  const bool is_forked = kind == protocol::JoinKind::after_fork;
  record_process(this_job, is_forked ? protocol::ProcessEvent::forked : protocol::ProcessEvent::started,
                 is_forked ? parent_pid : 0);
}

// Without a mark a process is recognised by its number at each call, which is slower but works as well. The word is set before marked_pid. A vfork
// child that is made between the two must not take the word for wiped.
void make_mark(std::uint32_t pid) {
  if (marked_pid.load(std::memory_order_relaxed) == kNobody && !prepare_fork_mark()) return;
  fork_mark().is_noted.store(1, std::memory_order_relaxed);
  fork_mark().is_set.store(1, std::memory_order_relaxed);
  marked_pid.store(pid, std::memory_order_release);
}

// The trusted reads before the fork are counted by the parent. The first call in the child's copy of the
// memory sets the count of these reads to zero.
void forget_before_fork() {
  if (marked_pid.load(std::memory_order_acquire) == kNobody) return;
  if (fork_mark().is_noted.exchange(1, std::memory_order_relaxed) == 0) trust.forget();
}

// The memory in which the calling process runs: the memory of the loaded image, a copy of its own, or perhaps its parent's
// memory.
enum class Kin : std::uint8_t { loaded, forked_child, unknown };

Kin kin_of(std::uint32_t pid) {
  const std::uint32_t marker = marked_pid.load(std::memory_order_acquire);
  // Another PID namespace may give out the same number, and shows 0 for a parent outside.
  if (pid == loaded_pid && marker == kNobody) return Kin::loaded;
  // The maker of the mark is this process's parent, and this process finds no mark. In the parent's memory, after vfork, it would find the mark. So
  // this memory is a copy, made by fork.
  const long parent = raw_syscall(SYS_getppid);
  const bool is_parent_outside = parent == kNobody;
  if (marker != kNobody && (is_parent_outside || parent == static_cast<long>(marker)))
    return Kin::forked_child;
  const long comparison = raw_syscall(SYS_kcmp, static_cast<long>(pid), parent, KCMP_VM);
  return comparison > 0 ? Kin::forked_child : Kin::unknown;
}

// While the mark is set, `job.pid` is the number of the process that set the mark. A vfork child of that process has another number.
bool is_memory_own(const Job& job, std::uint32_t pid) {
  if (fork_mark().is_set.load(std::memory_order_relaxed) != 0) return pid == job.pid;
  return kin_of(pid) != Kin::unknown;
}

__attribute__((noinline, section("seldom_text"))) bool is_other_user(const Job& job) {
  std::uint32_t real = 0;
  std::uint32_t effective = 0;
  std::uint32_t saved = 0;
  if (is_raw_error(raw_syscall(SYS_getresuid, word(&real), word(&effective), word(&saved)))) return false;
  return real != job.user && effective != job.user && saved != job.user;
}

// From here on every call passes through, in this process and in the processes that it forks. A call of another thread may still be using the memory that is given up.
void let_go_of_job() {
  joined.store(nullptr, std::memory_order_release);
  protocol::let_go_of_memory();
}

// For the first process of a job without a launcher: makes the segment and tells the children its name.
Result<Segment*> start_bare_job(const Request& request, const char* program, char** environment) {
  if (!request.is_alone) {
    Result<Segment*> made = protocol::make(program, request.grant, request.options, &this_job.name);
    if (made) {
      announce_segment(environment, this_job.name.text);
      return made;
    }
    this_job.name = {};
    constexpr char kTrouble[] =
        "libdiscnice: no room in /dev/shm: each program started from here has a limit of its own\n";
    raw_syscall(SYS_write, kStandardError, word(kTrouble), sizeof kTrouble - 1);
    announce_segment(environment, nullptr);
  }
  return protocol::make_private(program, request.grant, request.options);
}

Result<Segment*> find_job(const Request& request, const char* program, char** environment) {
  if (request.segment) {
    const Result<Segment*> found = protocol::join(request.segment.start, request.segment.length);
    if (found) this_job.name = protocol::name_from(request.segment.start, request.segment.length);
    if (found || !(request.has_rate || request.has_policy)) return found;
  }
  return start_bare_job(request, program, environment);
}

// The last member of a job removes the job's name when the job's maker is gone. Outside the maker's PID namespace it cannot be told which processes are gone.
void remove_when_last(Segment& segment, std::uint32_t members_left) {
  protocol::Maker maker{};
  if (this_job.pid_namespace != protocol::kCreatorsPidNamespace ||
      !protocol::read_maker(this_job.name, &maker))
    return;
  if (maker.pid != own_pid() && raw_syscall(SYS_kill, static_cast<long>(maker.pid), 0) != -ESRCH) return;
  if (protocol::is_deserted(segment, members_left) && maker.pid_namespace == protocol::find_pid_namespace())
    protocol::remove(this_job.name);
}

// True for a program that the job must leave alone.
bool is_excluded(const Segment& segment, const char* name) {
  for (const auto& excluded : segment.options.excluded) {
    if (excluded[0] != '\0' && std::strncmp(excluded, name, sizeof excluded) == 0) return true;
  }
  return false;
}

// Whether the loader has passed the arguments. glibc passes a constructor the arguments of main(), as they lie on the stack: a count, that many
// pointers, null, the environment. Another loader leaves arbitrary values in these registers.
bool are_arguments_handed(int argument_count, char** arguments, char** environment) {
  const auto own_frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  return argument_count >= 0 && reinterpret_cast<std::uintptr_t>(arguments) > own_frame &&
         environment == arguments + argument_count + 1;
}

// The usual name of the program: the last part of the path by which it was started.
const char* short_name(int argument_count, char** arguments) {
  if (argument_count < 1 || arguments[0] == nullptr) return "";
  const char* slash = std::strrchr(arguments[0], '/');
  return slash != nullptr ? slash + 1 : arguments[0];
}

__attribute__((constructor)) void join_at_load(int argument_count, char** arguments, char** environment) {
  prepare_real_calls();
  if (!are_arguments_handed(argument_count, arguments, environment)) return;
  const Request request = read_request(environment);
  if (request.complaint != nullptr && !request.is_disabled) {
    say(request.bad_entry, request.complaint);
    silence_entries(environment);
  }
  const bool is_wanted = !request.is_disabled && request.complaint == nullptr &&
                         (request.segment || request.has_rate || request.has_policy);
  if (is_wanted) {
    const char* name = short_name(argument_count, arguments);
    const Result<Segment*> segment = find_job(request, name, environment);
    if (segment && !is_excluded(*segment.value(), name)) {
      protocol::guard_memory(segment.value(), sizeof(Segment));
      find_ring(*segment.value());
      this_job.user = static_cast<std::uint32_t>(raw_syscall(SYS_geteuid));
      enter_job(*segment.value(), protocol::JoinKind::after_exec);
      loaded_pid = this_job.pid;
      if (this_job.ring != nullptr)
        make_mark(loaded_pid);  // each process of a recorded job records its parent
      if (is_profiling(this_job)) prepare_walks();
      joined.store(&this_job, std::memory_order_release);  // pairs with job()
      settle_own(this_job, coarse_ns());
    }
  }
}

__attribute__((destructor)) void leave_at_unload() {
  leave_job();
}

}  // namespace

namespace detail {

std::atomic<Job*> joined{nullptr};

void find_own_slot(Job& job) {
  const std::uint32_t pid = own_pid();
  if (pid == job.pid && pid != loaded_pid)
    return;  // it is not known whose memory this is, and the process is recognised by its number
  forget_before_fork();
  const Kin kin = kin_of(pid);
  if (kin == Kin::forked_child && is_other_user(job)) return let_go_of_job();
  if (pid != job.pid || kin == Kin::forked_child) {
    enter_job(*job.segment,
              kin == Kin::forked_child ? protocol::JoinKind::after_fork : protocol::JoinKind::after_exec);
  }
  if (kin != Kin::unknown) make_mark(pid);
}

}  // namespace detail

void leave_job() {
  Job* here = joined.load(std::memory_order_acquire);
  const std::uint32_t pid = own_pid();
  if (here == nullptr || here->pid != pid)
    return;  // a vfork child, or a forked child that never made a call: nothing is its own
  // Few jobs drop any pages. The counter that tells whether this job did lies on a page that every process has mapped.
  if (here->segment->cache_brought_bytes.load(std::memory_order_relaxed) != 0) let_go_before_leaving(*here);
  constexpr std::uint64_t kAnyTimeNs = 0;  // the instant does not matter any more
  settle_own(*here, kAnyTimeNs);
  record_process(*here, protocol::ProcessEvent::left, 0);
  if (pid == loaded_pid || fork_mark().is_set.load(std::memory_order_relaxed) != 0) {
    joined.store(nullptr, std::memory_order_release);
  } else {
    here->pid = kNobody;  // the memory may be the parent's, which goes on
  }
  remove_when_last(*here->segment, protocol::leave(*here->segment, *here->member, pid));
}

// This code lies apart from the code that a start uses (start_order.ld).
__attribute__((section("seldom_text"))) void leave_when_other_user() {
  const Job* here = joined.load(std::memory_order_acquire);
  if (here == nullptr || !is_other_user(*here) || !is_memory_own(*here, own_pid())) return;
  leave_job();  // a forked child that made no call yet has nothing to leave
  let_go_of_job();
}

}  // namespace discnice::guest
