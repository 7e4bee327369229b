// SPDX-License-Identifier: MIT
#include "toolbox/cli/child.hpp"

#include <cerrno>
#include <csignal>
#include <ctime>

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

[[noreturn]] void become(const std::vector<std::string>& command, const sigset_t& mask, int report_fd) {
  std::vector<char*> words;
  words.reserve(command.size() + 1);
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  for (const int number : {SIGINT, SIGQUIT}) std::signal(number, SIG_DFL);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  execvp(words[0], words.data());
  const int error = errno;
  if (write(report_fd, &error, sizeof error) < 0) _exit(kExitToolFailed);
  _exit(kExitToolFailed);
}

// What the child says of its start: 0, or the errno of exec. Its end of the pipe closes when it succeeds.
int read_start_error(int fd) {
  int error = 0;
  ssize_t length = 0;
  do {
    length = read(fd, &error, sizeof error);
  } while (length < 0 && errno == EINTR);
  return length == sizeof error ? error : 0;
}

void pass_on(int signals_fd, pid_t child) {
  signalfd_siginfo told{};
  while (read(signals_fd, &told, sizeof told) == sizeof told) {
    const int number = static_cast<int>(told.ssi_signo);
    if (number == SIGTERM || number == SIGHUP) kill(child, number);
  }
}

void rest(int signals_fd, const ChildPause& pause) {
  pollfd polled[] = {{signals_fd, POLLIN, 0}, {pause.wake_fd, POLLIN, 0}};
  const timespec time{static_cast<time_t>(pause.time_ns / kNsPerS),
                      static_cast<long>(pause.time_ns % kNsPerS)};
  ppoll(polled, 2, &time, nullptr);
}

void wait_for(pid_t child, int signals_fd, const std::function<ChildPause(pid_t)>& look, ChildEnd& end) {
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
    const ChildPause pause = end.has_run ? look(child) : ChildPause{kNsPerS, -1};
    rest(signals_fd, pause);
    pass_on(signals_fd, child);
  }
}

}  // namespace

ChildEnd run_child(const std::vector<std::string>& command, const std::function<ChildPause(pid_t)>& look) {
  ChildEnd end{false, kExitToolFailed, 0};
  sigset_t signals;
  sigset_t mask_before;
  sigemptyset(&signals);
  for (const int number : {SIGCHLD, SIGTERM, SIGHUP}) sigaddset(&signals, number);
  std::signal(SIGCHLD, SIG_DFL);  // it may have been inherited ignored; then nothing would be waited for
  sigprocmask(SIG_BLOCK, &signals, &mask_before);
  const base::ScopedFd signals_fd(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  int pipe_fds[2];
  if (!signals_fd.is_open() || pipe2(pipe_fds, O_CLOEXEC) != 0) {
    end.status =
        fail(kExitToolFailed, "no descriptors to watch '{}' with: {}", command[0], error_text(errno));
    return end;
  }
  const pid_t child = fork();
  if (child < 0) {
    end.status = fail(kExitToolFailed, "fork: {}", error_text(errno));
    return end;
  }
  if (child == 0) become(command, mask_before, pipe_fds[1]);
  for (const int number : {SIGINT, SIGQUIT}) std::signal(number, SIG_IGN);
  close(pipe_fds[1]);
  const int error = read_start_error(pipe_fds[0]);
  close(pipe_fds[0]);
  end.has_run = error == 0;
  wait_for(child, signals_fd.get(), look, end);
  if (error != 0)
    end.status =
        fail(error == ENOENT ? kExitNotFound : kExitCannotInvoke, "'{}': {}", command[0], error_text(error));
  return end;
}

}  // namespace gray::cli
