// SPDX-License-Identifier: MIT
#include "tools/gb-run/child.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "toolbox/cli/diagnostics.hpp"

namespace gb_run {
namespace {

constexpr timespec kFollowInterval{0, 500'000'000};
constexpr int kSignalled = 128;

[[noreturn]] void become(const std::vector<std::string>& command, const sigset_t& mask, int report_fd) {
  std::vector<char*> words;
  words.reserve(command.size() + 1);
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  for (const int number : {SIGINT, SIGQUIT}) std::signal(number, SIG_DFL);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  execvp(words[0], words.data());
  const int error = errno;
  if (write(report_fd, &error, sizeof error) < 0) _exit(gray::cli::kExitToolFailed);
  _exit(gray::cli::kExitToolFailed);
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

int wait_for(pid_t child, const sigset_t& signals, const std::function<void(std::uint32_t)>& follow) {
  for (;;) {
    int status = 0;
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return WIFSIGNALED(status) ? kSignalled + WTERMSIG(status) : WEXITSTATUS(status);
    if (ended < 0 && errno != EINTR) return gray::cli::kExitToolFailed;
    follow(static_cast<std::uint32_t>(child));
    const int number = sigtimedwait(&signals, nullptr, &kFollowInterval);
    if (number == SIGTERM || number == SIGHUP) kill(child, number);
  }
}

}  // namespace

int run_child(const std::vector<std::string>& command, const std::vector<std::string>& variables,
              std::uint64_t bytes, const std::function<void(std::uint32_t)>& follow) {
  for (const std::string& name : variables) setenv(name.c_str(), std::to_string(bytes).c_str(), 1);
  sigset_t signals;
  sigset_t mask_before;
  sigemptyset(&signals);
  for (const int number : {SIGCHLD, SIGTERM, SIGHUP}) sigaddset(&signals, number);
  std::signal(SIGCHLD, SIG_DFL);  // it may have been inherited ignored; then nothing would be waited for
  sigprocmask(SIG_BLOCK, &signals, &mask_before);
  int pipe_fds[2];
  if (pipe2(pipe_fds, O_CLOEXEC) != 0)
    return gray::cli::fail(gray::cli::kExitToolFailed, "pipe: {}", gray::cli::error_text(errno));
  const pid_t child = fork();
  if (child < 0) return gray::cli::fail(gray::cli::kExitToolFailed, "fork: {}", gray::cli::error_text(errno));
  if (child == 0) become(command, mask_before, pipe_fds[1]);
  for (const int number : {SIGINT, SIGQUIT}) std::signal(number, SIG_IGN);
  close(pipe_fds[1]);
  const int error = read_start_error(pipe_fds[0]);
  close(pipe_fds[0]);
  const int status = wait_for(
      child, signals, error == 0 ? follow : [](std::uint32_t) {});
  if (error == 0) return status;
  return gray::cli::fail(error == ENOENT ? gray::cli::kExitNotFound : gray::cli::kExitCannotInvoke,
                         "'{}': {}", command[0], gray::cli::error_text(error));
}

}  // namespace gb_run
