// SPDX-License-Identifier: MIT
#include "tools/netnice/engine/guard.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "toolbox/cli/child.hpp"
#include "toolbox/cli/diagnostics.hpp"

namespace netnice {
namespace {

// A signal that the caller ignores, as nohup does, stays ignored.
sigset_t awaited_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  for (const int number : {SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2}) {
    struct sigaction inherited {};
    sigaction(number, nullptr, &inherited);
    if (inherited.sa_handler != SIG_IGN) sigaddset(&signals, number);
  }
  return signals;
}

// Used when no process could wait for a killed process, because the kernel has discarded its exit status.
constexpr int kKilled = SIGKILL;

// Every process of the host may have inherited a held socket. Only the worker knew which processes are likely to have one,
// and the worker is gone.
std::vector<pid_t> processes_of_host() {
  std::vector<pid_t> pids;
  DIR* folder = opendir("/proc");
  if (folder == nullptr) return pids;
  while (const dirent* entry = readdir(folder))
    if (const int pid = std::atoi(entry->d_name); pid > 0) pids.push_back(pid);
  closedir(folder);
  return pids;
}

int wait_for(pid_t worker, const sigset_t& signals, Holds& holds) {
  const bool is_job = gray::cli::is_shell_job();
  for (;;) {
    int status = 0;
    const pid_t ended = waitpid(worker, &status, WNOHANG | (is_job ? WUNTRACED : 0));
    if (ended == worker && WIFSTOPPED(status)) {
      gray::cli::stand_with(worker);
      continue;
    }
    if (ended < 0 && errno != EINTR) status = kKilled;
    if (ended == worker || (ended < 0 && errno != EINTR)) {
      if (WIFSIGNALED(status) && !holds.is_finished()) {
        holds.put_all_back(processes_of_host());
        gray::cli::warn("was ended by signal {}: nothing is held on the network any more", WTERMSIG(status));
      }
      return status;
    }
    siginfo_t sent{};
    if (sigwaitinfo(&signals, &sent) > 0 && sent.si_signo != SIGCHLD &&
        !gray::cli::has_reached_all(sent.si_signo, sent.si_code))
      kill(worker, sent.si_signo);
  }
}

}  // namespace

int get_guard(Holds& holds, int (*status_of)(int wait_status)) {
  int alive[2];
  if (pipe2(alive, O_CLOEXEC) != 0) return -errno;
  // With SIG_IGN this process could wait for no child.
  const bool are_children_ignored = std::signal(SIGCHLD, SIG_DFL) == SIG_IGN;
  const sigset_t signals = awaited_signals();
  sigset_t mask_before;
  sigprocmask(SIG_BLOCK, &signals, &mask_before);
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);  // held processes stay below the guard when the worker is killed
  const pid_t worker = fork();
  if (worker > 0) {
    close(alive[0]);
    _exit(status_of(wait_for(worker, signals, holds)));
  }
  const int error = errno;
  sigprocmask(SIG_SETMASK, &mask_before, nullptr);
  if (are_children_ignored) std::signal(SIGCHLD, SIG_IGN);
  close(alive[1]);
  if (worker == 0) {
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    return alive[0];
  }
  close(alive[0]);
  return -error;
}

}  // namespace netnice
