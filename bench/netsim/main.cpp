// SPDX-License-Identifier: MIT
// main: the main() of netsim, which runs a program at one end of an emulated line.
//
// This process waits, passes signals on and ends with the status of the program. Its child process is the line. The child is the first process of a PID
// namespace: when the child ends, for instance because this process was killed, the kernel ends all processes of the namespace.
#include <fmt/core.h>

#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/netsim/options.hpp"
#include "bench/netsim/session.hpp"
#include "toolbox/base/fd.hpp"
#include "toolbox/cli/child.hpp"
#include "toolbox/cli/diagnostics.hpp"

namespace {

using gray::base::ScopedFd;
using gray::cli::error_text;
using gray::cli::fail;
using gray::cli::kExitToolFailed;

constexpr int kSignalled = 128;

bool write_text(const char* path, const std::string& text) {
  const ScopedFd file(open(path, O_WRONLY | O_CLOEXEC));
  return write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

// Root may make namespaces. Any other user first becomes root of a user namespace, as by unshare --map-root-user.
bool enter_namespaces() {
  const uid_t user = geteuid();
  const gid_t group = getegid();
  if (user == 0) return unshare(CLONE_NEWPID) == 0;
  return unshare(CLONE_NEWUSER | CLONE_NEWPID) == 0 && write_text("/proc/self/setgroups", "deny") &&
         write_text("/proc/self/uid_map", fmt::format("0 {} 1", user)) &&
         write_text("/proc/self/gid_map", fmt::format("0 {} 1", group));
}

int wait_for(pid_t line, const sigset_t& signals) {
  for (;;) {
    int status = 0;
    const pid_t ended = waitpid(line, &status, WNOHANG);
    if (ended == line) return WIFSIGNALED(status) ? kSignalled + WTERMSIG(status) : WEXITSTATUS(status);
    siginfo_t told{};
    if (sigwaitinfo(&signals, &told) > 0 && told.si_signo != SIGCHLD &&
        !gray::cli::has_reached_all(told.si_signo, told.si_code))
      kill(line, told.si_signo);
  }
}

}  // namespace

int main(int argc, char** argv) {
  gray::cli::occupy_standard_descriptors();
  gray::cli::set_program_name(argv[0]);
  netsim::Options options;
  if (const auto status = netsim::read_options(argc, argv, options)) return *status;
  if (!enter_namespaces()) return fail(kExitToolFailed, "no namespaces: {}", error_text(errno));
  int alive[2];
  if (pipe2(alive, O_CLOEXEC) != 0) return fail(kExitToolFailed, "a pipe: {}", error_text(errno));
  sigset_t signals;
  sigset_t mask_before;
  sigemptyset(&signals);
  for (const int number : {SIGCHLD, SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2})
    sigaddset(&signals, number);
  // With SIG_IGN this process could wait for no child.
  options.are_children_ignored = std::signal(SIGCHLD, SIG_DFL) == SIG_IGN;
  sigprocmask(SIG_BLOCK, &signals, &mask_before);
  const pid_t line = fork();
  if (line < 0) return fail(kExitToolFailed, "fork: {}", error_text(errno));
  if (line == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // a parent that ended before this call is noticed by the pipe
    close(alive[1]);
    fcntl(alive[0], F_SETFL, O_NONBLOCK);
    sigprocmask(SIG_SETMASK, &mask_before, nullptr);
    _exit(netsim::run_session(options, alive[0]));
  }
  close(alive[0]);
  return wait_for(line, signals);
}
