// SPDX-License-Identifier: MIT
#include "tools/discnice/pace/trace_brake.hpp"

#include <cerrno>
#include <ctime>

#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/discnice/processes/processes.hpp"

namespace discnice::pace {
namespace {

// New threads come from threads that still run. In each round there are fewer running threads.
constexpr int kRoundsMax = 8;
constexpr int kPartingsMax = 100;
constexpr timespec kPartingTime{0, 1'000'000};
constexpr int kEventShift = 8;  // the place of a stop's kind, above the signal

}  // namespace

TraceBrake::~TraceBrake() {
  if (has_work()) let_all_go();
}

void TraceBrake::let_all_go() {
  for (auto& [tid, thread] : threads_) thread.is_released = true;
  stopped_.clear();
  for (int i = 0; i < kPartingsMax; ++i) {
    attend();
    if (!has_work()) return;
    nanosleep(&kPartingTime, nullptr);
  }
}

// Returns how many threads were asked. Returns a negative errno when no thread could be asked, or when another process traces one of them. The kernel
// also refuses for a thread that is just ending. Such a thread does not matter.
int TraceBrake::ask_new_threads(pid_t pid) {
  int asked = 0;
  int error = 0;
  for (const pid_t tid : processes::threads_of(pid)) {
    const auto known = threads_.find(tid);
    if (known != threads_.end()) {
      known->second.is_released = false;
      continue;
    }
    if (ptrace(PTRACE_SEIZE, tid, nullptr, nullptr) != 0) {
      if (errno != ESRCH) error = errno;
      if (error != 0 && processes::is_traced(tid)) return -error;
      continue;
    }
    ptrace(PTRACE_INTERRUPT, tid, nullptr, nullptr);
    threads_.emplace(tid, Thread{pid});
    ++asked;
  }
  return asked == 0 ? -error : asked;
}

int TraceBrake::stop(pid_t pid) {
  stopped_.insert(pid);
  const int first = ask_new_threads(pid);
  if (first < 0) {
    release(pid);
    return -first;
  }
  for (int round = 0; round < kRoundsMax && ask_new_threads(pid) > 0; ++round) {
  }
  return 0;
}

void TraceBrake::release(pid_t pid) {
  stopped_.erase(pid);
  for (auto at = threads_.begin(); at != threads_.end();) {
    Thread& thread = at->second;
    if (thread.pid != pid) {
      ++at;
      continue;
    }
    thread.is_released = true;
    take_news(at->first, thread);
    at = let_go(at->first, thread) ? threads_.erase(at) : std::next(at);
  }
}

// Takes the kernel's report about the thread, if there is one. A thread that has ended gets the process number 0.
void TraceBrake::take_news(pid_t tid, Thread& thread) {
  siginfo_t news{};
  const int result =
      waitid(P_PID, static_cast<id_t>(tid), &news, WEXITED | WSTOPPED | WNOWAIT | WNOHANG | __WALL);
  if (result == 0 && news.si_pid == 0) return;
  if (result != 0 || news.si_code != CLD_TRAPPED) {
    // The tracer is told before the parent is. The end of a child of this process is left to other threads of this process, which wait for it.
    const bool is_own_child = tid == thread.pid && processes::parent_of(tid) == getpid();
    if (result == 0 && !is_own_child) waitpid(tid, nullptr, __WALL | WNOHANG);
    thread.pid = 0;
    return;
  }
  thread.is_standing = true;
  // A stop that the brake did not request means that a signal is to be delivered. The signal is delivered when the thread goes on.
  thread.signal = news.si_status >> kEventShift == 0 ? news.si_status : 0;
}

// Lets a stopped thread go. Returns true when this process no longer traces the thread.
bool TraceBrake::let_go(pid_t tid, Thread& thread) {
  if (thread.pid == 0) return true;
  if (!thread.is_released || !thread.is_standing) return false;
  if (ptrace(PTRACE_DETACH, tid, nullptr, thread.signal) == 0) return true;
  // The thread was killed, which waitpid() will report, or another thread has taken its place by exec.
  thread.is_standing = false;
  ptrace(PTRACE_INTERRUPT, tid, nullptr, nullptr);
  return false;
}

void TraceBrake::attend() {
  bool is_anybody_late = false;
  for (auto at = threads_.begin(); at != threads_.end();) {
    Thread& thread = at->second;
    take_news(at->first, thread);
    is_anybody_late = is_anybody_late || !thread.is_standing;
    at = let_go(at->first, thread) ? threads_.erase(at) : std::next(at);
  }
  if (!is_anybody_late) return;
  for (const pid_t pid : stopped_) ask_new_threads(pid);
}

}  // namespace discnice::pace
