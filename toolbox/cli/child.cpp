// SPDX-License-Identifier: MIT
#include "toolbox/cli/child.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <iterator>

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "toolbox/base/fd.hpp"
#include "toolbox/base/units.hpp"
#include "toolbox/cli/diagnostics.hpp"

namespace gray::cli {
namespace {

constexpr int kSignalled = 128;
constexpr std::uint64_t kNsPerS = 1'000'000'000;

// The signals that must end the command.
constexpr int kEnding[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT};

// What the child reports of its start: an errno, and which step failed.
struct StartReport {
  int error = 0;
  bool is_of_prepare = false;
};

// The signal settings before this process blocked some, for the child.
struct SignalsBefore {
  sigset_t mask{};
  bool are_children_ignored = false;
};

bool is_ignored(int number) {
  struct sigaction inherited {};
  return sigaction(number, nullptr, &inherited) == 0 && inherited.sa_handler == SIG_IGN;
}

// Blocks the signals for which this process waits. A signal that the caller ignores, as with nohup, is not touched. SIGPIPE is blocked because this process prints lines itself.
sigset_t block_signals(SignalsBefore& before) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : kEnding)
    if (!is_ignored(number)) sigaddset(&signals, number);
  for (const int number : {SIGCHLD, SIGPIPE}) sigaddset(&signals, number);
  before.are_children_ignored = is_ignored(SIGCHLD);
  if (before.are_children_ignored) std::signal(SIGCHLD, SIG_DFL);  // else nothing would be waited for
  sigprocmask(SIG_BLOCK, &signals, &before.mask);
  return signals;
}

[[noreturn]] void become(const std::vector<std::string>& command, const ChildHooks& hooks,
                         const SignalsBefore& before, int report_fd) {
  std::vector<char*> words;
  words.reserve(command.size() + 1);
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  StartReport report;
  if (hooks.prepare) report.error = hooks.prepare();
  report.is_of_prepare = report.error != 0;
  if (report.error == 0) {
    if (before.are_children_ignored) std::signal(SIGCHLD, SIG_IGN);
    sigprocmask(SIG_SETMASK, &before.mask, nullptr);
    execvp(words[0], words.data());
    report.error = errno;
  }
  if (write(report_fd, &report, sizeof report) < 0) _exit(kExitToolFailed);
  _exit(kExitToolFailed);
}

// Its end of the pipe closes when exec succeeds.
StartReport read_start_report(int fd) {
  StartReport report;
  ssize_t length = 0;
  do {
    length = read(fd, &report, sizeof report);
  } while (length < 0 && errno == EINTR);
  return length == sizeof report ? report : StartReport{};
}

void pass_on(int signals_fd, pid_t child, const ChildHooks& hooks) {
  signalfd_siginfo told{};
  while (read(signals_fd, &told, sizeof told) == sizeof told) {
    const int number = static_cast<int>(told.ssi_signo);
    if (std::find(std::begin(kEnding), std::end(kEnding), number) == std::end(kEnding)) continue;
    if (hooks.before_signal) hooks.before_signal();
    if (!has_reached_all(number, told.ssi_code)) kill(child, number);
  }
}

void rest(int signals_fd, const ChildPause& pause) {
  pollfd polled[] = {{signals_fd, POLLIN, 0}, {pause.wake_fd, POLLIN, 0}};
  const timespec time{static_cast<time_t>(pause.time_ns / kNsPerS),
                      static_cast<long>(pause.time_ns % kNsPerS)};
  ppoll(polled, 2, &time, nullptr);
}

void wait_for(pid_t child, int signals_fd, const ChildHooks& hooks, ChildEnd& end) {
  for (;;) {
    int status = 0;
    rusage used{};
    const pid_t ended = wait4(child, &status, WNOHANG, &used);
    if (ended == child) {
      end.resident_peak_bytes = static_cast<std::uint64_t>(used.ru_maxrss) * base::kKiB;
      end.status = WIFSIGNALED(status) ? kSignalled + WTERMSIG(status) : WEXITSTATUS(status);
      return;
    }
    end.status = kExitToolFailed;
    if (ended < 0 && errno != EINTR) return;
    const ChildPause pause = end.has_run && hooks.look ? hooks.look(child) : ChildPause{kNsPerS, -1};
    rest(signals_fd, pause);
    pass_on(signals_fd, child, hooks);
  }
}

}  // namespace

ChildEnd run_child(const std::vector<std::string>& command, const ChildHooks& hooks) {
  ChildEnd end;
  end.status = kExitToolFailed;
  SignalsBefore before;
  const sigset_t signals = block_signals(before);
  const base::ScopedFd signals_fd(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  int pipe_fds[2];
  if (!signals_fd.is_open() || pipe2(pipe_fds, O_CLOEXEC) != 0) {
    end.status = fail(kExitToolFailed, "no descriptors to watch '{}' with: {}", escape_controls(command[0]),
                      error_text(errno));
    return end;
  }
  const pid_t child = fork();
  if (child < 0) {
    end.status = fail(kExitToolFailed, "fork: {}", error_text(errno));
    return end;
  }
  if (child == 0) become(command, hooks, before, pipe_fds[1]);
  close(pipe_fds[1]);
  const StartReport report = read_start_report(pipe_fds[0]);
  close(pipe_fds[0]);
  end.has_run = report.error == 0;
  wait_for(child, signals_fd.get(), hooks, end);
  if (report.is_of_prepare)
    end.prepare_error = report.error;
  else if (report.error != 0)
    end.status = fail(report.error == ENOENT ? kExitNotFound : kExitCannotInvoke, "'{}': {}",
                      escape_controls(command[0]), error_text(report.error));
  return end;
}

ChildEnd run_child(const std::vector<std::string>& command, const std::function<ChildPause(pid_t)>& look) {
  ChildHooks hooks;
  hooks.look = look;
  return run_child(command, hooks);
}

bool has_reached_all(int signal_number, int signal_code) {
  return (signal_number == SIGINT || signal_number == SIGQUIT) && signal_code == SI_KERNEL;
}

void occupy_standard_descriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // Opened the wrong way round, so that it can be used as little as one that is closed. The lowest free number is taken.
    if (fcntl(fd, F_GETFD) < 0 &&
        open("/dev/null", (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC) != fd)
      return;
  }
}

}  // namespace gray::cli
