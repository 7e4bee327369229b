// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/launcher.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "toolbox/base/clock.hpp"

namespace discnice::cli {
namespace {

constexpr std::uint64_t kFirstLookNs = 1'000'000'000;
constexpr int kSignalBase = 128;  // how a shell reports a death by signal
constexpr int kForwarded[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

volatile sig_atomic_t program_pid = 0;

// A signal of the terminal (SI_KERNEL) goes to the whole process group and has reached the program already.
void forward(int signal_number, siginfo_t* info, void* /*context*/) {
  const int errno_before = errno;
  if (program_pid > 0 && info->si_code != SI_KERNEL) kill(program_pid, signal_number);
  errno = errno_before;
}

void forward_signals() {
  struct sigaction action {};
  action.sa_sigaction = forward;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  for (const int number : kForwarded) {
    struct sigaction before {};
    sigaction(number, nullptr, &before);
    if (before.sa_handler != SIG_IGN)
      sigaction(number, &action, nullptr);  // nohup and background shells ignore some
  }
}

// The child goes on when our end of the pipe is closed, so that its account is open before it can have ended.
void wait_for_go(int go_pipe) {
  char byte = 0;
  while (read(go_pipe, &byte, 1) < 0 && errno == EINTR) {
  }
}

[[noreturn]] void become(const Launch& launch, int error_pipe) {
  for (const auto& [name, value] : launch.environment) {
    if (value.empty()) {
      unsetenv(name.c_str());
    } else {
      setenv(name.c_str(), value.c_str(), 1);
    }
  }
  std::vector<char*> arguments;
  for (const std::string& argument : launch.arguments)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  execv(launch.path.c_str(), arguments.data());
  if (errno == ENOEXEC) {  // a script without "#!": the shell runs it, as it would have on a command line
    arguments.front() = const_cast<char*>(launch.path.c_str());
    arguments.insert(arguments.begin(), const_cast<char*>("sh"));
    execv("/bin/sh", arguments.data());
  }
  const int error = errno;
  [[maybe_unused]] const ssize_t written = write(error_pipe, &error, sizeof error);
  _exit(kSignalBase);
}

// 0 when the program was started; the errno of exec otherwise.
int read_start_error(int error_pipe) {
  int error = 0;
  ssize_t length = 0;
  do {
    length = read(error_pipe, &error, sizeof error);
  } while (length < 0 && errno == EINTR);
  close(error_pipe);
  return length == sizeof error ? error : 0;
}

// Calls `keep` every now and then, and `after_first_second` once, until the process has ended. Without pidfd_open: at once.
void keep_until_end(pid_t pid, const std::function<void()>& after_first_second, const Keep& keep) {
  const int fd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  pollfd wanted{fd, POLLIN, 0};
  const std::uint64_t start_ns = gray::base::monotonic_ns();
  bool has_looked = false;
  while (fd >= 0 && poll(&wanted, 1, keep.period_ms) <= 0) {
    if (!has_looked && gray::base::monotonic_ns() - start_ns >= kFirstLookNs) {
      after_first_second();
      has_looked = true;
    }
    if (keep.look) keep.look(pid);
  }
  if (fd >= 0) close(fd);
}

void wait_without_reaping(pid_t pid) {
  siginfo_t info{};
  while (waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
}

int reap(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

Ended run_and_wait(const Launch& launch, const std::function<void()>& after_first_second, const Keep& keep) {
  Ended ended;
  int error_pipe[2];
  int go_pipe[2];
  if (pipe2(error_pipe, O_CLOEXEC) != 0 || pipe2(go_pipe, O_CLOEXEC) != 0) {
    ended.start_error = errno;
    return ended;
  }
  const std::uint64_t start_ns = gray::base::monotonic_ns();
  const pid_t pid = fork();
  if (pid == 0) {
    close(go_pipe[1]);
    wait_for_go(go_pipe[0]);
    become(launch, error_pipe[1]);
  }
  const int fork_error = errno;
  close(error_pipe[1]);
  close(go_pipe[0]);
  if (pid < 0) {
    close(error_pipe[0]);
    close(go_pipe[1]);
    ended.start_error = fork_error;
    return ended;
  }
  program_pid = pid;
  forward_signals();
  const KernelAccountFile account(pid);
  close(go_pipe[1]);
  ended.start_error = read_start_error(error_pipe[0]);
  if (ended.start_error == 0) keep_until_end(pid, after_first_second, keep);
  wait_without_reaping(pid);
  ended.elapsed_s = static_cast<double>(gray::base::monotonic_ns() - start_ns) / 1e9;
  ended.account = account.read();
  program_pid = 0;
  ended.wait_status = reap(pid);
  return ended;
}

int end_like(int wait_status) {
  if (!WIFSIGNALED(wait_status)) return WEXITSTATUS(wait_status);
  const int number = WTERMSIG(wait_status);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);  // the program's core is the one of interest
  std::signal(number, SIG_DFL);
  raise(number);
  return kSignalBase + number;
}

}  // namespace discnice::cli
