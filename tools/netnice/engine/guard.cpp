// SPDX-License-Identifier: MIT
#include "tools/netnice/engine/guard.hpp"

#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "toolbox/cli/child.hpp"
#include "toolbox/cli/diagnostics.hpp"

namespace netnice {
namespace {

constexpr int kSignalled = 128;

// A signal that our caller ignores, as nohup does, is none of our business.
sigset_t awaited_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  for (const int number : {SIGTERM, SIGHUP, SIGINT, SIGQUIT}) {
    struct sigaction inherited {};
    sigaction(number, nullptr, &inherited);
    if (inherited.sa_handler != SIG_IGN) sigaddset(&signals, number);
  }
  return signals;
}

int wait_for(pid_t worker, const sigset_t& signals, Holds& holds) {
  for (;;) {
    int status = 0;
    const pid_t ended = waitpid(worker, &status, WNOHANG);
    if (ended == worker && WIFEXITED(status)) return WEXITSTATUS(status);
    if (ended == worker || (ended < 0 && errno != EINTR)) {
      holds.put_all_back();
      const int number = ended == worker ? WTERMSIG(status) : SIGKILL;
      gray::cli::warn("was ended by signal {}: nothing is held any more", number);
      return kSignalled + number;
    }
    siginfo_t sent{};
    if (sigwaitinfo(&signals, &sent) > 0 && sent.si_signo != SIGCHLD &&
        !gray::cli::has_reached_all(sent.si_signo, sent.si_code))
      kill(worker, sent.si_signo);
  }
}

}  // namespace

int run_guarded(Holds& holds, const std::function<int(int guard_fd)>& work) {
  int alive[2];
  if (pipe2(alive, O_CLOEXEC) != 0)
    return gray::cli::fail(gray::cli::kExitToolFailed, "a pipe: {}", gray::cli::error_text(errno));
  const bool are_children_ignored = std::signal(SIGCHLD, SIG_DFL) == SIG_IGN;  // then none is waited for
  const sigset_t signals = awaited_signals();
  sigset_t mask_before;
  sigprocmask(SIG_BLOCK, &signals, &mask_before);
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);  // whoever is held stays below us when the other one is killed
  const pid_t worker = fork();
  if (worker < 0)
    return gray::cli::fail(gray::cli::kExitToolFailed, "fork: {}", gray::cli::error_text(errno));
  if (worker == 0) {
    close(alive[1]);
    sigprocmask(SIG_SETMASK, &mask_before, nullptr);
    if (are_children_ignored) std::signal(SIGCHLD, SIG_IGN);
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    _exit(work(alive[0]));
  }
  close(alive[0]);
  return wait_for(worker, signals, holds);
}

}  // namespace netnice
