// SPDX-License-Identifier: MIT
#include "tools/discnice/pace/signal_brake.hpp"

#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "toolbox/base/call_numbers.hpp"
#include "tools/discnice/processes/orphans.hpp"

namespace discnice::pace {

// The guard has a session of its own, so that a signal from the terminal to the launcher does not end it.
void SignalBrake::guard(int our_end, Stopped& stopped) {
  setsid();
  for (const int number : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE}) std::signal(number, SIG_IGN);
  prctl(PR_SET_NAME, "discnice-guard");
  if (our_end != STDIN_FILENO) dup2(our_end, STDIN_FILENO);
  syscall(SYS_close_range, 1, ~0U, 0);
  char byte = 0;
  while (read(STDIN_FILENO, &byte, 1) < 0 && errno == EINTR) {
  }
  for (const auto& place : stopped.pids) {
    const pid_t pid = place.load(std::memory_order_relaxed);
    if (pid > 0) kill(pid, SIGCONT);
  }
  _exit(0);
}

int SignalBrake::start_guard() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return errno;
  void* memory = mmap(nullptr, sizeof(Stopped), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  const pid_t pid = memory == MAP_FAILED ? -1 : processes::fork_helper();
  if (pid < 0) {
    close(ends[0]);
    close(ends[1]);
    return ENOMEM;
  }
  if (pid == 0) {
    close(ends[1]);
    guard(ends[0], *static_cast<Stopped*>(memory));
  }
  close(ends[0]);
  stopped_ = static_cast<Stopped*>(memory);
  guard_pipe_ = ends[1];
  return 0;
}

void SignalBrake::let_all_go() {
  if (stopped_ == nullptr) return;
  for (const auto& place : stopped_->pids) release(place.load(std::memory_order_relaxed));
}

SignalBrake::~SignalBrake() {
  if (stopped_ == nullptr) return;
  let_all_go();
  close(guard_pipe_);
  munmap(stopped_, sizeof(Stopped));
}

// The process is noted before it is stopped, so that the guard never misses it.
int SignalBrake::stop(pid_t pid) {
  if (pid <= 0) return ESRCH;  // to kill(2) these mean many processes
  if (stopped_ == nullptr) {
    const int error = start_guard();
    if (error != 0) return error;
  }
  for (auto& place : stopped_->pids) {
    if (place.load(std::memory_order_relaxed) != 0) continue;
    place.store(pid, std::memory_order_seq_cst);
    if (kill(pid, SIGSTOP) == 0) return 0;
    const int error = errno;
    place.store(0, std::memory_order_relaxed);
    return error;
  }
  return EAGAIN;
}

void SignalBrake::stop_again(pid_t pid) {
  if (stopped_ == nullptr || pid <= 0) return;
  for (const auto& place : stopped_->pids)
    if (place.load(std::memory_order_relaxed) == pid) kill(pid, SIGSTOP);
}

void SignalBrake::release(pid_t pid) {
  if (stopped_ == nullptr || pid <= 0) return;
  for (auto& place : stopped_->pids) {
    if (place.load(std::memory_order_relaxed) != pid) continue;
    kill(pid, SIGCONT);
    place.store(0, std::memory_order_relaxed);
  }
}

}  // namespace discnice::pace
