// SPDX-License-Identifier: MIT
#include "tools/gb-run/child.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libgray/src/os/shared_os.hpp"
#include "toolbox/base/units.hpp"
#include "toolbox/cli/diagnostics.hpp"

namespace gb_run {
namespace {

// Looked at soon at first, for that is when a program starts and takes what it was granted, then ever more rarely.
constexpr long kFollowFirstNs = 10'000'000;
constexpr long kFollowLastNs = 500'000'000;
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

// A short program is gone before it was looked at when it was largest: then the kernel tells how much was in memory, of which what
// it mapped of files is not its own.
std::uint64_t peak_of(const rusage& used, std::uint64_t seen_bytes, std::uint64_t file_bytes) {
  const std::uint64_t resident_bytes = static_cast<std::uint64_t>(used.ru_maxrss) * gray::base::kKiB;
  return std::max(seen_bytes, resident_bytes - std::min(resident_bytes, file_bytes));
}

int wait_for(pid_t child, const sigset_t& signals, const std::function<void(std::uint64_t)>& follow,
             Usage& usage) {
  std::uint64_t seen_bytes = 0;
  std::uint64_t file_bytes = 0;
  for (timespec pause{0, kFollowFirstNs};; pause.tv_nsec = std::min(2 * pause.tv_nsec, kFollowLastNs)) {
    int status = 0;
    rusage used{};
    const pid_t ended = wait4(child, &status, WNOHANG, &used);
    if (ended == child) {
      usage.peak_bytes = peak_of(used, seen_bytes, file_bytes);
      return WIFSIGNALED(status) ? kSignalled + WTERMSIG(status) : WEXITSTATUS(status);
    }
    if (ended < 0 && errno != EINTR) return gray::cli::kExitToolFailed;
    if (usage.has_run) {
      const gray::os::TreeMemory now = gray::os::memory_of_tree(static_cast<std::uint32_t>(child));
      seen_bytes = std::max(seen_bytes, now.own_bytes);
      file_bytes = std::max(file_bytes, now.file_bytes_max);
      follow(now.own_bytes);
    }
    const int number = sigtimedwait(&signals, nullptr, &pause);
    if (number == SIGTERM || number == SIGHUP) kill(child, number);
  }
}

}  // namespace

int run_child(const std::vector<std::string>& command, const std::vector<std::string>& variables,
              std::uint64_t bytes, const std::function<void(std::uint64_t)>& follow, Usage& usage) {
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
  usage.has_run = error == 0;
  const int status = wait_for(child, signals, follow, usage);
  if (error == 0) return status;
  return gray::cli::fail(error == ENOENT ? gray::cli::kExitNotFound : gray::cli::kExitCannotInvoke,
                         "'{}': {}", command[0], gray::cli::error_text(error));
}

}  // namespace gb_run
