// SPDX-License-Identifier: MIT
// child: runs the command that a launcher of ours was given, and ends as it ends.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace gray::cli {

/// How long to leave the command alone, unless this descriptor gets readable first; -1 is none.
struct ChildPause {
  std::uint64_t time_ns = 0;
  int wake_fd = -1;
};

/// What a launcher does beside it; those that are empty are not called.
struct ChildHooks {
  std::function<ChildPause(pid_t)> look;  // at first and after each pause, while the command runs
  std::function<int()>
      prepare;  // in the child, before the command is there: 0, or an errno and it is not run
  std::function<void()> before_signal;  // before it is told to end, by us or by the terminal
  std::optional<bool> is_shell_job;     // as is_shell_job() says, unless it is given
};

/// What became of it.
struct ChildEnd {
  bool has_run = false;
  int status =
      0;  // to end with: its own, 128 and the signal that killed it, or 125 to 127 after saying why it could not be started
  int prepare_error = 0;  // why it was not run, which the caller tells
  std::uint64_t resident_peak_bytes = 0;
};

/// Runs the command in this environment. SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1 and SIGUSR2 are handed on to it, but for what the terminal sends, which
/// reaches it anyway, and what was ignored when we were started, which it ignores too. The same one again within a tenth of a second is not. Blocks signals in this process, for good.
ChildEnd run_child(const std::vector<std::string>& command, const ChildHooks& hooks);
ChildEnd run_child(const std::vector<std::string>& command, const std::function<ChildPause(pid_t)>& look);

/// Whether a signal of this number and code (siginfo_t) has reached the command already: what the terminal sends goes to the whole process
/// group. What a process sends us is to be handed on.
bool has_reached_all(int signal_number, int signal_code);

/// Whether a shell at a terminal has started this process as a job of its own, and sees when it stands still. Then we stand still when the command does: a program that stops only itself, as bash
/// does by "suspend", would leave its terminal to nobody. Not to be asked by a process that was forked from the one that the shell knows.
bool is_shell_job();

/// Stands still with a child of this process that was found to do so, and has it go on as we do. Returns at once where it has gone on meanwhile.
void stand_with(pid_t child);

/// A descriptor of ours must not come to lie where the command's closed input, output or errors would be. To be called first in main():
/// the command finds them closed, as they were, and what we read or print there fails as before.
void occupy_standard_descriptors();

}  // namespace gray::cli
