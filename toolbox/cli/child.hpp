// SPDX-License-Identifier: MIT
// child: runs the command of a launcher, and ends with the exit status of the command.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace gray::cli {

/// How long to let the command run before the next call. A readable descriptor ends this time early; -1 means no descriptor.
struct ChildPause {
  std::uint64_t time_ns = 0;
  int wake_fd = -1;
};

/// The functions that a launcher calls while the command runs. Empty functions are not called.
struct ChildHooks {
  std::function<ChildPause(pid_t)> look;  // at first and after each pause, while the command runs
  std::function<int()>
      prepare;  // in the child, before the command is there: 0, or an errno and it is not run
  std::function<void()> before_signal;  // before it is told to end, by us or by the terminal
};

/// How the command ended.
struct ChildEnd {
  bool has_run = false;
  int status =
      0;  // to end with: its own, 128 and the signal that killed it, or 125 to 127 after saying why it could not be started
  int prepare_error = 0;  // why it was not run, which the caller tells
  std::uint64_t resident_peak_bytes = 0;
};

/// Runs the command in this environment. It passes SIGTERM, SIGHUP, SIGINT and SIGQUIT on to the command. It does not pass on a signal from the terminal, which reaches the
/// command anyway, or a signal that was ignored when this process started, which the command ignores, too. Blocks signals in this process for good.
ChildEnd run_child(const std::vector<std::string>& command, const ChildHooks& hooks);
ChildEnd run_child(const std::vector<std::string>& command, const std::function<ChildPause(pid_t)>& look);

/// Whether a signal of this number and code (siginfo_t) has reached the command already. A signal from the terminal goes to the whole process group. A signal that a process
/// sends to this one must be passed on.
bool has_reached_all(int signal_number, int signal_code);

/// Call this first in main(). It makes sure that no later descriptor gets the number of a closed input, output or error output. The command finds these closed, as they were.
/// Reading or printing there in this process fails as before.
void occupy_standard_descriptors();

}  // namespace gray::cli
