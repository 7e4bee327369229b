// SPDX-License-Identifier: MIT
// child: runs the command that a launcher was given, and gives the launcher the command's exit status.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace gray::cli {

/// How long to wait until the next look at the command. The pause ends early when `wake_fd` becomes readable; -1 means no descriptor.
struct ChildPause {
  std::uint64_t time_ns = 0;
  int wake_fd = -1;
};

/// What a launcher does while the command runs. An empty function is not called.
struct ChildHooks {
  std::function<ChildPause(pid_t)> look;  // called at the start and after each pause, while the command runs
  std::function<int()>
      prepare;  // called in the child before exec. Returns 0, or an errno: then the command is not run
  // Called before the command gets a signal to end, from the launcher or from the terminal.
  std::function<void()> before_signal;
  std::optional<bool> is_shell_job;  // what is_shell_job() says, unless the launcher knows better
};

/// The way in which the command ended.
struct ChildEnd {
  bool has_run = false;
  int status =
      0;  // the launcher's exit status: the command's own; 128 plus the signal that killed it; or 125 to 127 after a message why it could not be started
  int prepare_error = 0;  // why the command was not run; the caller prints it
  std::uint64_t resident_peak_bytes = 0;
};

/// Runs the command in this environment. SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1 and SIGUSR2 are passed on to the command. Three kinds are not passed on: a signal from the
/// terminal, which reaches the command anyway; a signal that was ignored when this process was started, which the command ignores too; and the same signal again within a tenth
/// of a second. Blocks signals in this process permanently.
ChildEnd run_child(const std::vector<std::string>& command, const ChildHooks& hooks);
ChildEnd run_child(const std::vector<std::string>& command, const std::function<ChildPause(pid_t)>& look);

/// Whether a signal of this number and code (siginfo_t) has reached the command already: the terminal sends its signals to the whole process group. A signal
/// that a process has sent must be passed on.
bool has_reached_all(int signal_number, int signal_code);

/// Whether a shell at a terminal has started this process as a job, and is told when the job stops. Then the launcher stops when the command stops. Otherwise
/// no program would use the terminal after a program has stopped only itself, as bash does by "suspend". This function must not be called in a process that was
/// forked from the process that the shell knows.
bool is_shell_job();

/// To be called when a child has stopped. This process stops, too, and lets the child continue when this process itself continues. Returns at once where the
/// child has continued meanwhile.
void stand_with(pid_t child);

/// Call this first in main(). When the command's standard input, output or error is closed, a descriptor of this process must not get the number of the closed
/// descriptor. The command finds these descriptors closed, as they were. In this process, reads and writes on them fail as before.
void occupy_standard_descriptors();

}  // namespace gray::cli
