// SPDX-License-Identifier: MIT
#include "toolbox/cli/child.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <iterator>

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "toolbox/base/clock.hpp"
#include "toolbox/base/fd.hpp"
#include "toolbox/base/units.hpp"
#include "toolbox/cli/diagnostics.hpp"

namespace gray::cli {
namespace {

constexpr int kSignalled = 128;
constexpr std::uint64_t kNsPerS = 1'000'000'000;

// Signals that should end the command, and signals that request an action of the command.
constexpr int kEnding[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT};
constexpr int kAsking[] = {SIGUSR1, SIGUSR2};
// A sender to a whole process group, or to a whole service, reaches the command and this process. Both signals count as one.
constexpr std::uint64_t kSameNs = 100'000'000;

// The child's report of its start: an errno, and which step failed.
struct StartReport {
  int error = 0;
  bool is_of_prepare = false;
};

// The child gets back the signal settings from before this process blocked some signals.
struct SignalsBefore {
  sigset_t mask{};
  bool are_children_ignored = false;
};

bool is_ignored(int number) {
  struct sigaction inherited {};
  return sigaction(number, nullptr, &inherited) == 0 && inherited.sa_handler == SIG_IGN;
}

// Blocks the signals that this process waits for. A signal that the caller of this program ignores, as nohup does, is left ignored. SIGPIPE is blocked because this process
// prints lines itself.
sigset_t block_signals(SignalsBefore& before) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : kEnding)
    if (!is_ignored(number)) sigaddset(&signals, number);
  for (const int number : kAsking)
    if (!is_ignored(number)) sigaddset(&signals, number);
  for (const int number : {SIGCHLD, SIGPIPE}) sigaddset(&signals, number);
  before.are_children_ignored = is_ignored(SIGCHLD);
  if (before.are_children_ignored)
    std::signal(SIGCHLD, SIG_DFL);  // otherwise the kernel would keep no exit status
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

// The child's end of the pipe closes when exec succeeds.
StartReport read_start_report(int fd) {
  StartReport report;
  ssize_t length = 0;
  do {
    length = read(fd, &report, sizeof report);
  } while (length < 0 && errno == EINTR);
  return length == sizeof report ? report : StartReport{};
}

bool is_among(const int* begin, const int* end, int number) {
  return std::find(begin, end, number) != end;
}

class Passing {
 public:
  Passing(int signals_fd, const ChildHooks& hooks) : signals_fd_(signals_fd), hooks_(hooks) {}

  void pass_on(pid_t child) {
    signalfd_siginfo told{};
    while (read(signals_fd_, &told, sizeof told) == sizeof told) {
      const int number = static_cast<int>(told.ssi_signo);
      const bool is_ending = is_among(std::begin(kEnding), std::end(kEnding), number);
      if (!is_ending && !is_among(std::begin(kAsking), std::end(kAsking), number)) continue;
      if (is_ending && hooks_.before_signal) hooks_.before_signal();
      const std::uint64_t now_ns = base::monotonic_ns();
      const bool is_same = number == passed_ && now_ns - passed_ns_ < kSameNs;
      if (is_same || has_reached_all(number, told.ssi_code)) continue;
      passed_ = number;
      passed_ns_ = now_ns;
      kill(child, number);
    }
  }

 private:
  int signals_fd_;
  const ChildHooks& hooks_;
  int passed_ = 0;
  std::uint64_t passed_ns_ = 0;
};

void rest(int signals_fd, const ChildPause& pause) {
  pollfd polled[] = {{signals_fd, POLLIN, 0}, {pause.wake_fd, POLLIN, 0}};
  const timespec time{static_cast<time_t>(pause.time_ns / kNsPerS),
                      static_cast<long>(pause.time_ns % kNsPerS)};
  ppoll(polled, 2, &time, nullptr);
}

// The state in /proc/PID/stat, behind the name.
bool is_standing(pid_t pid) {
  const auto file = base::ScopedFd::open(fmt::format("/proc/{}/stat", pid).c_str(), O_RDONLY);
  char text[128] = "";
  if (!file.is_open() || read(file.get(), text, sizeof text - 1) <= 0) return false;
  const char* name_end = std::strrchr(text, ')');
  return name_end != nullptr && std::strlen(name_end) > 2 && name_end[2] == 'T';
}

void wait_for(pid_t child, int signals_fd, const ChildHooks& hooks, ChildEnd& end) {
  const bool is_job = hooks.is_shell_job.value_or(is_shell_job());
  Passing signals(signals_fd, hooks);
  for (;;) {
    int status = 0;
    rusage used{};
    const pid_t ended = wait4(child, &status, WNOHANG | (is_job ? WUNTRACED : 0), &used);
    if (ended == child && WIFSTOPPED(status)) {
      stand_with(child);
      continue;
    }
    if (ended == child) {
      end.resident_peak_bytes = static_cast<std::uint64_t>(used.ru_maxrss) * base::kKiB;
      end.status = WIFSIGNALED(status) ? kSignalled + WTERMSIG(status) : WEXITSTATUS(status);
      return;
    }
    end.status = kExitToolFailed;
    if (ended < 0 && errno != EINTR) return;
    const ChildPause pause = end.has_run && hooks.look ? hooks.look(child) : ChildPause{kNsPerS, -1};
    rest(signals_fd, pause);
    signals.pass_on(child);
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

bool is_shell_job() {
  const pid_t parent = getppid();
  if (getsid(parent) != getsid(0) || getpgid(parent) == getpgrp()) return false;
  return base::ScopedFd::open("/dev/tty", O_RDONLY | O_NOCTTY).is_open();
}

void stand_with(pid_t child) {
  constexpr timespec kMoment{
      0, 100'000'000};  // Ctrl-Z stops this process, too; a process that is held from outside goes on soon
  nanosleep(&kMoment, nullptr);
  if (!is_standing(child)) return;
  raise(SIGSTOP);
  kill(child, SIGCONT);
}

void occupy_standard_descriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // The descriptor is opened for the opposite direction. So reads or writes on it fail, as on a closed descriptor. open() takes the lowest free
    // number.
    if (fcntl(fd, F_GETFD) < 0 &&
        open("/dev/null", (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC) != fd)
      return;
  }
}

}  // namespace gray::cli
