// SPDX-License-Identifier: MIT
#include "tools/netnice/session.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "toolbox/base/clock.hpp"
#include "toolbox/base/descriptor_limit.hpp"
#include "toolbox/base/units.hpp"
#include "toolbox/cli/child.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/options.hpp"
#include "toolbox/cli/preload.hpp"
#include "tools/netnice/engine/claim.hpp"
#include "tools/netnice/engine/engine.hpp"
#include "tools/netnice/engine/guard.hpp"
#include "tools/netnice/report.hpp"
#include "tools/netnice/socket/process_handle.hpp"

namespace netnice {
namespace {

using gray::base::monotonic_ns;
using gray::cli::fail;
using gray::cli::kExitToolFailed;

// The files that netnice writes, opened before any program is run.
struct Outputs {
  std::FILE* report = nullptr;
  std::FILE* trace = nullptr;
};

bool open_output(const std::string& name, std::FILE*& file) {
  if (name.empty()) return true;
  file = std::fopen(name.c_str(), "we");
  if (file == nullptr)
    gray::cli::warn("'{}': {}", gray::cli::escape_controls(name), gray::cli::error_text(errno));
  return file != nullptr;
}

// Returns whether the whole file was written.
bool close_output(const std::string& name, std::FILE* file) {
  const int error = file == nullptr ? 0 : gray::cli::close_stream(file);
  if (error != 0) gray::cli::warn("'{}': {}", gray::cli::escape_controls(name), gray::cli::error_text(error));
  return error == 0;
}

// Returns the exit status. The status shows when the wanted report could not be written.
int tell(const Options& options, const Outputs& outputs, const Engine& engine, std::uint64_t time_ns,
         int status) {
  const std::string json = json_of(engine, options.command, time_ns, status);
  if (options.is_json) {
    std::fputs(json.c_str(), stderr);
  } else if (!options.is_quiet) {
    if (const std::string line = line_of(engine); !line.empty()) gray::cli::warn("{}", line);
  }
  if (outputs.report != nullptr) std::fputs(json.c_str(), outputs.report);
  const bool is_reported = close_output(options.report_file, outputs.report);
  const bool is_traced = close_output(options.trace_file, outputs.trace);
  return status == 0 && !(is_reported && is_traced) ? gray::cli::kExitSomeFailed : status;
}

// Runs the engine's steps while the guard lives. When the guard is gone, all sockets are restored and nothing is held any more.
class GuardedEngine {
 public:
  GuardedEngine(Engine& engine, int guard_fd) : engine_(engine), guard_fd_(guard_fd) {}
  gray::cli::ChildPause step() {
    pollfd polled{guard_fd_, POLLIN, 0};
    if (guard_fd_ >= 0 && poll(&polled, 1, 0) > 0) {
      engine_.let_go();
      guard_fd_ = -1;
      gray::cli::warn("its other process was killed: nothing is held on the network any more");
    }
    if (guard_fd_ < 0) return {gray::base::kNanosecondsPerSecond, -1};
    const std::uint64_t rest_ns = engine_.step(monotonic_ns());
    return {rest_ns, guard_fd_};
  }
  [[nodiscard]] bool is_guarded() const { return guard_fd_ >= 0; }

 private:
  Engine& engine_;
  int guard_fd_;
};

// Orphans become children of this process, and are waited for here. The program itself is waited for by gray::cli::run_child().
void reap_orphans(pid_t program) {
  siginfo_t news{};
  while (waitid(P_ALL, 0, &news, WEXITED | WNOWAIT | WNOHANG) == 0 && news.si_pid != 0 &&
         news.si_pid != program) {
    waitpid(news.si_pid, nullptr, WNOHANG);
    news = {};
  }
}

// UDP is held by a library in the program. This is called in the child, before the program is executed.
void enter_gate(const UdpGate& gate) {
  const auto [name, value] = gate.variable();
  const std::string preload = gray::cli::preload_value({gate.library()});
  const std::string sanitizer = gray::cli::address_sanitizer_options();
  if (!sanitizer.empty()) setenv("ASAN_OPTIONS", sanitizer.c_str(), 1);
  setenv(name.c_str(), value.c_str(), 1);
  setenv("LD_PRELOAD", preload.c_str(), 1);
}

int hold_command(const Options& options, const Outputs& outputs, Holds& holds, int guard_fd,
                 bool is_shell_job) {
  Engine engine(options.limits, holds, {}, outputs.trace);
  GuardedEngine guarded(engine, guard_fd);
  const std::uint64_t start_ns = monotonic_ns();
  gray::cli::ChildHooks hooks;
  hooks.is_shell_job = is_shell_job;
  if (holds.gate().is_there()) {
    hooks.prepare = [&holds] {
      enter_gate(holds.gate());
      return 0;
    };
  }
  hooks.look = [&guarded](pid_t child) {
    reap_orphans(child);
    return guarded.step();
  };
  const auto end = gray::cli::run_child(options.command, hooks);
  engine.let_go();
  return end.has_run ? tell(options, outputs, engine, monotonic_ns() - start_ns, end.status) : end.status;
}

sigset_t ending_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction inherited {};
    sigaction(number, nullptr, &inherited);
    if (inherited.sa_handler != SIG_IGN) sigaddset(&signals, number);
  }
  return signals;
}

int hold_adopted(const Options& options, const Outputs& outputs, Holds& holds, int guard_fd) {
  const sigset_t signals = ending_signals();
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);  // the reader of standard error may be gone
  const gray::base::ScopedFd signals_fd(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  Engine engine(options.limits, holds, {options.pids}, outputs.trace);
  GuardedEngine guarded(engine, guard_fd);
  const std::uint64_t start_ns = monotonic_ns();
  for (;;) {
    const auto pause = guarded.step();
    if (!guarded.is_guarded() || engine.tree().is_empty()) break;
    pollfd polled[] = {{signals_fd.get(), POLLIN, 0}, {guard_fd, POLLIN, 0}};
    const timespec time{0, static_cast<long>(pause.time_ns)};
    if (ppoll(polled, 2, &time, nullptr) > 0 && polled[0].revents != 0) break;
  }
  engine.let_go();
  const int status = engine.tree().refused() == 0 ? 0 : gray::cli::kExitSomeFailed;
  return tell(options, outputs, engine, monotonic_ns() - start_ns, status);
}

// Prints the reason, in one line for each process that cannot be adopted.
bool may_adopt(pid_t pid) {
  if (pid == getpid()) {
    gray::cli::warn("process {} is netnice itself", pid);
    return false;
  }
  if (pid == 1) {
    gray::cli::warn("process 1 is the parent of all others: name the one that is meant");
    return false;
  }
  if (is_of_kernel(pid)) {
    gray::cli::warn("process {} is a thread of the kernel's: it has no sockets of its own", pid);
    return false;
  }
  const ProcessHandle handle(pid);
  int error = handle.error();
  // The number is the number of a thread, not of a process.
  if (error == -EINVAL || error == -ENOENT) error = -ESRCH;
  if (error == 0) {
    const auto any = handle.duplicate(0);
    if (any.error() == -EPERM) error = -EPERM;
  }
  if (error != 0) gray::cli::warn("process {} cannot be held: {}", pid, gray::cli::error_text(error));
  if (error != 0) return false;
  const Claim claim(pid);
  const bool is_others = claim.error() == 0 && !claim.take();
  if (is_others) gray::cli::warn("process {} is held by another netnice already", pid);
  return !is_others;
}

std::optional<int> prepare(const Options& options, const Holds& holds, Outputs& outputs) {
  if (const int error = try_duplicates(); error != 0)
    return fail(kExitToolFailed, "sockets of other processes cannot be reached here (pidfd_getfd): {}",
                gray::cli::error_text(error));
  if (!is_own_proc())
    return fail(kExitToolFailed, "/proc is not that of this process: sockets of others cannot be found");
  if (!holds.is_there()) return fail(kExitToolFailed, "no memory: {}", gray::cli::error_text(errno));
  if (!open_output(options.report_file, outputs.report) || !open_output(options.trace_file, outputs.trace))
    return kExitToolFailed;
  return std::nullopt;
}

bool has_rate(const Options& options) {
  const auto& rates = options.limits.rates_bytes_per_s;
  return rates[0] || rates[1];
}

int fail_guard(int error) {
  return fail(kExitToolFailed, "no second process is to be had, which puts all back when one is killed: {}",
              gray::cli::error_text(error));
}

// The exit status of the second process (guard.hpp) as the exit status of this one.
int status_of(int wait_status) {
  constexpr int kSignalled = 128;
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : kSignalled + WTERMSIG(wait_status);
}

}  // namespace

int run_command(const Options& options) {
  Holds holds;
  Outputs outputs;
  if (const auto status = prepare(options, holds, outputs)) return *status;
  if (const std::string problem = has_rate(options) ? holds.gate().make() : ""; !problem.empty())
    gray::cli::warn("what goes by UDP is not held: {}", problem);
  const bool is_shell_job = gray::cli::is_shell_job();
  const int guard_fd = get_guard(holds, status_of);
  if (guard_fd < 0) return fail_guard(guard_fd);
  return hold_command(options, outputs, holds, guard_fd, is_shell_job);
}

int run_adopted(const Options& options) {
  bool is_any_refused = false;
  for (const pid_t pid : options.pids)
    if (!may_adopt(pid)) is_any_refused = true;
  if (is_any_refused) return gray::cli::kExitSomeFailed;
  Holds holds;
  Outputs outputs;
  if (const auto status = prepare(options, holds, outputs)) return *status;
  const int guard_fd = get_guard(holds, status_of);
  if (guard_fd < 0) return fail_guard(guard_fd);
  return hold_adopted(options, outputs, holds, guard_fd);
}

}  // namespace netnice
