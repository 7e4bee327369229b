// SPDX-License-Identifier: MIT
// trace_brake: stops processes by tracing them, and lets them go on.
//
// Knowledge assumed: ptrace(2). PTRACE_SEIZE and PTRACE_INTERRUPT stop a thread without a signal. A thread that is in a system call leaves the
//   call, and continues the call when the thread is let go. The kernel lets all threads go when the tracer ends for any reason. So a process
//   is traced only while it is stopped. A running process can be debugged, and may start a set-user-ID program.
// What breaks it: a process that another process traces, and kernels that allow no tracing. Such a process cannot be stopped. Some calls, such as
//   epoll_wait(2), are never continued by the kernel. Such a call ends with EINTR, as after SIGSTOP and SIGCONT (signal(7)). A thread that waits for
//   a disk stops when that wait has ended.
//
// One thread makes all calls of one TraceBrake, because for the kernel that thread is the tracer.
#pragma once

#include <map>
#include <set>

#include <sys/types.h>

namespace discnice::pace {

class TraceBrake {
 public:
  TraceBrake() = default;
  /// Lets all processes go on.
  ~TraceBrake();
  TraceBrake(const TraceBrake&) = delete;
  TraceBrake& operator=(const TraceBrake&) = delete;

  /// Asks all threads of the process to stop. Returns 0, or the kernel's errno when no thread may be stopped.
  int stop(pid_t pid);

  /// Lets the process go on.
  void release(pid_t pid);

  /// Notes which threads have stopped. Asks new threads to stop. Lets threads go that were released before they had stopped. To be called
  /// every few milliseconds while has_work().
  void attend();

  /// Lets all processes go on. It waits for threads that have not stopped yet, up to the time that a disk request may take. The kernel lets threads that stop
  /// later go when the tracer ends.
  void let_all_go();

  /// True while any thread is stopped, or was not let go yet.
  [[nodiscard]] bool has_work() const { return !threads_.empty(); }

 private:
  struct Thread {
    pid_t pid;  // the process of the thread
    bool is_standing = false;
    bool is_released = false;
    int signal = 0;  // the signal that was about to be delivered when the thread stopped
  };

  int ask_new_threads(pid_t pid);
  void take_news(pid_t tid, Thread& thread);
  bool let_go(pid_t tid, Thread& thread);

  std::map<pid_t, Thread> threads_;  // by thread number
  std::set<pid_t> stopped_;          // process numbers
};

}  // namespace discnice::pace
