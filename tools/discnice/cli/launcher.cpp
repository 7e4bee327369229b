// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/launcher.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <memory>

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "toolbox/base/clock.hpp"
#include "tools/discnice/notify/guard.hpp"
#include "tools/discnice/notify/large_call.hpp"
#include "tools/discnice/processes/orphans.hpp"
#include "tools/discnice/protocol/segment.hpp"

namespace discnice::cli {
namespace {

constexpr std::uint64_t kFirstLookNs = 1'000'000'000;
constexpr int kSignalBase = 128;  // a shell reports a death by signal as this plus the signal's number
constexpr int kForwarded[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

volatile sig_atomic_t program_pid = 0;
volatile sig_atomic_t has_ending_signal = 0;

// Passes a signal on to the program. A signal of the terminal (SI_KERNEL) goes to the whole process group and has reached the program already.
void forward(int signal_number, siginfo_t* info, void* /*context*/) {
  const int errno_before = errno;
  if (signal_number != SIGUSR1 && signal_number != SIGUSR2) has_ending_signal = 1;
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
      sigaction(number, &action, nullptr);  // nohup and background shells ignore some signals
  }
}

// The parent of this process may have made it ignore SIGCHLD. The kernel would then discard the program's exit status before this process has read
// it. So SIGCHLD gets its default action here. Returns whether it was ignored: the program must then begin with SIGCHLD ignored, too.
bool wants_no_children() {
  struct sigaction before {};
  sigaction(SIGCHLD, nullptr, &before);
  const bool is_ignored = before.sa_handler == SIG_IGN;
  if (is_ignored) std::signal(SIGCHLD, SIG_DFL);
  return is_ignored;
}

// The stack of the child until it executes the program. The child makes only a few system calls.
constexpr std::size_t kChildStackBytes = 64 * 1024;

using Words = std::vector<char*>;

// The child shares the memory of this process. So everything that exec needs is made ready before the child begins.
struct Start {
  const char* path;
  bool may_be_script;
  bool wants_no_children;
  ShowCalls show_calls;
  Words arguments;
  Words environment;
  std::vector<std::string> variables;  // the strings in `environment` that the launcher adds
  int account_fd = -1;
  int error = 0;
  int guard_socket = -1;
  int group_fd = -1;
  int group_error = 0;
  int listener_fd = -1;
  int show_error = 0;
};

// Returns the arguments in the form that exec needs: the list ends with null.
Words arguments_of(const Launch& launch) {
  Words words;
  for (const std::string& argument : launch.arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  return words;
}

bool is_variable(const char* entry, const std::string& name) {
  return std::strncmp(entry, name.c_str(), name.size()) == 0 && entry[name.size()] == '=';
}

void add_environment(const Launch& launch, Start& start) {
  for (const auto& [name, value] : launch.environment)
    if (!value.empty()) start.variables.push_back(fmt::format("{}={}", name, value));
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const auto is_it = [&](const auto& variable) { return is_variable(*entry, variable.first); };
    if (std::none_of(launch.environment.begin(), launch.environment.end(), is_it))
      start.environment.push_back(*entry);
  }
  for (std::string& variable : start.variables) start.environment.push_back(variable.data());
  start.environment.push_back(nullptr);
}

// Runs in the child, which shares the memory of this process while this process waits. So the child uses no heap and no stdio, and this process sees
// the values that the child writes. The child opens its own account before it can have ended. This process has that descriptor as well, because both
// processes share one table of descriptors until exec.
int become(void* context) {
  auto& start = *static_cast<Start*>(context);
  start.account_fd = open("/proc/self/io", O_RDONLY | O_CLOEXEC);
  if (start.wants_no_children) std::signal(SIGCHLD, SIG_IGN);
  if (start.group_fd >= 0 && write(start.group_fd, "0", 1) != 1) {
    start.group_error = errno;
    _exit(kSignalBase);
  }
  if (start.show_calls != ShowCalls::never) {
    start.listener_fd = notify::show_large_calls(start.show_calls == ShowCalls::always);
    if (start.listener_fd >= 0)
      start.show_error = notify::give_listener(start.guard_socket, start.listener_fd);
    else if (start.show_calls == ShowCalls::always)
      start.show_error = -start.listener_fd;
    if (start.show_error != 0) _exit(kSignalBase);
  }
  execve(start.path, start.arguments.data(), start.environment.data());
  // A script without "#!" is run by the shell, as on a command line.
  if (errno == ENOEXEC && start.may_be_script) {
    start.arguments.front() = const_cast<char*>(start.path);
    // start_program() has reserved the room.
    start.arguments.insert(start.arguments.begin(), const_cast<char*>("sh"));
    execve("/bin/sh", start.arguments.data(), start.environment.data());
  }
  start.error = errno;
  _exit(kSignalBase);
}

// Starts the program. Returns when exec has succeeded or failed. Works like fork(), but the tables of this process's memory are not copied.
pid_t start_program(const Launch& launch, Start& start) {
  start.path = launch.path.c_str();
  start.may_be_script = launch.may_be_script;
  start.show_calls = launch.show_calls;
  start.guard_socket = launch.guard_socket;
  start.group_fd = launch.group_fd;
  start.wants_no_children = wants_no_children();
  start.arguments = arguments_of(launch);
  start.arguments.reserve(start.arguments.size() + 1);
  add_environment(launch, start);
  const auto stack =
      std::make_unique_for_overwrite<std::max_align_t[]>(kChildStackBytes / sizeof(std::max_align_t));
  const pid_t pid = clone(become, stack.get() + kChildStackBytes / sizeof(std::max_align_t),
                          CLONE_VM | CLONE_VFORK | CLONE_FILES | SIGCHLD, &start);
  if (pid < 0) start.error = errno;
  return pid;
}

// Calls `keep.look` every now and then, and `after_first_second` once, until the process has ended. Does not wait on a kernel without pidfd_open.
void keep_until_end(pid_t pid, const std::function<void()>& after_first_second, const Keep& keep) {
  const int fd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  pollfd wanted{fd, POLLIN, 0};
  const std::uint64_t start_ns = gray::base::monotonic_ns();
  const bool is_over = fd >= 0 && keep.short_ms > 0 && poll(&wanted, 1, keep.short_ms) > 0;
  if (keep.begin && !is_over) keep.begin(pid);
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

std::string value_of(const Launch& launch, const std::string& variable) {
  const auto found = std::find_if(launch.environment.begin(), launch.environment.end(),
                                  [&](const auto& one) { return one.first == variable; });
  return found == launch.environment.end() ? "" : found->second;
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

Ended run_and_wait(const Launch& launch, const std::function<void()>& after_start,
                   const std::function<void()>& after_first_second, const Keep& keep) {
  Ended ended;
  const std::uint64_t start_ns = gray::base::monotonic_ns();
  Start start;
  processes::take_orphans(protocol::kSegmentVariable, value_of(launch, protocol::kSegmentVariable));
  const pid_t pid = start_program(launch, start);
  const processes::KernelAccountFile account(start.account_fd);
  ended.start_error = start.error;
  ended.show_error = start.show_error;
  ended.group_error = start.group_error;
  if (pid < 0) return ended;
  program_pid = pid;
  forward_signals();
  const bool has_begun = ended.start_error == 0 && ended.show_error == 0 && ended.group_error == 0;
  if (!has_begun && start.listener_fd >= 0) close(start.listener_fd);
  if (has_begun) {
    if (start.listener_fd >= 0) keep.see_calls(start.listener_fd);
    after_start();
    keep_until_end(pid, after_first_second, keep);
  }
  wait_without_reaping(pid);
  if (keep.end) keep.end(pid);
  ended.elapsed_s = static_cast<double>(gray::base::monotonic_ns() - start_ns) / 1e9;
  ended.account = account.read();
  program_pid = 0;
  ended.wait_status = reap(pid);
  return ended;
}

bool is_told_to_end() {
  return has_ending_signal != 0;
}

int end_like(int wait_status) {
  if (!WIFSIGNALED(wait_status)) return WEXITSTATUS(wait_status);
  const int number = WTERMSIG(wait_status);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);  // the core file of the program is the useful one
  std::signal(number, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, number);
  // A process that waits for a forked launcher (net_holder.hpp) has some signals blocked.
  sigprocmask(SIG_UNBLOCK, &only, nullptr);
  raise(number);
  return kSignalBase + number;
}

}  // namespace discnice::cli
