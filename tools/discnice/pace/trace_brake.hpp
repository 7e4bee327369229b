// SPDX-License-Identifier: MIT
// trace_brake: stops processes by tracing them, and lets them go on.
//
// Knowledge assumed: ptrace(2). PTRACE_SEIZE and PTRACE_INTERRUPT stop a thread without a signal. A thread that is in a system call leaves it and, once let go,
//   goes on with it. The kernel lets everybody go when the tracer ends, however it ends.
// So a process is traced only while it stands. A running one can be debugged, and may start a set-user-ID program.
// What breaks it: a process that another program traces, and kernels that allow no tracing. Such a process can't be stopped. A call that the kernel
//   never goes on with by itself ends with EINTR, as after SIGSTOP and SIGCONT: epoll_wait(2) is one (signal(7)). A thread that waits for a disk stands when
//   that is done.
//
// One thread must make all calls of one TraceBrake, because for the kernel that thread is the tracer.
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

  /// Asks all threads of the process to stop. Returns 0, or the errno of the kernel if no thread may be stopped.
  int stop(pid_t pid);

  /// Lets the process go on.
  void release(pid_t pid);

  /// Notes which threads have stopped by now, asks new threads to stop, and lets threads go on whose process was let go before they stopped. To be called every few milliseconds
  /// while has_work().
  void attend();

  /// Lets all processes go on. Waits for threads that have not stopped yet, for as long as a disk may take. The kernel lets threads that stop later go on when the tracer ends.
  void let_all_go();

  /// True while a process is stopped, or was not let go on yet.
  [[nodiscard]] bool has_work() const { return !threads_.empty(); }

 private:
  struct Thread {
    pid_t pid;  // of its process
    bool is_standing = false;
    bool is_released = false;
    int signal = 0;  // that was about to be delivered when it stopped
  };

  int ask_new_threads(pid_t pid);
  void take_news(pid_t tid, Thread& thread);
  bool let_go(pid_t tid, Thread& thread);

  std::map<pid_t, Thread> threads_;  // by their own numbers
  std::set<pid_t> stopped_;          // processes
};

}  // namespace discnice::pace
