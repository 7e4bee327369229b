// SPDX-License-Identifier: MIT
// launcher: starts the program, passes signals on to it, and waits for its end.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/discnice/processes/kernel_account.hpp"

namespace discnice::cli {

/// Whether the kernel shows the program's large calls to the launcher before it makes them. `if_privileged`: only when this takes no rights from the
/// program. `always`: in any case.
enum class ShowCalls : std::uint8_t { never, if_privileged, always };

struct Launch {
  std::string path;
  std::vector<std::string> arguments;  // argv, the program's name first
  // Added to the environment of the launcher. An empty value removes the variable.
  std::vector<std::pair<std::string, std::string>> environment;
  bool may_be_script = true;  // the shell runs a file that the kernel cannot execute
  ShowCalls show_calls = ShowCalls::never;
  // The descriptor of cgroup.procs of the control group that the program must enter. -1: the program stays in the launcher's group.
  int group_fd = -1;
  // This socket leads to the guard, which lets the calls pass when the launcher is killed. Needed when calls are shown.
  int guard_socket = -1;
};

struct Ended {
  int start_error = 0;  // errno of a failed exec; then nothing ran
  int show_error = 0;  // errno when calls had to be shown and the kernel does not show them; then nothing ran
  int group_error = 0;  // errno when the program could not be put into the group; then nothing ran
  int wait_status = 0;  // as from waitpid()
  double elapsed_s = 0;
  std::optional<processes::KernelAccount> account;
};

/// What the launcher does while the program runs.
struct Keep {
  int period_ms = 1000;
  std::function<void(pid_t program)> look;
  // Called as soon as the program has started, when calls are shown.
  std::function<void(int listener_fd)> see_calls;
  std::function<void(pid_t program)> begin;  // called when the program has not ended within `short_ms`
  std::function<void(pid_t program)> end;    // called when the program has ended, before it is waited for
  int short_ms = 0;
};

/// Runs the program in the foreground, in the process group of this process. Signals that are sent to this process are passed on to the program.
/// Signals of the terminal reach the program by themselves. `after_start` is called once while the program begins. It does the work that need not be
/// done earlier. `after_first_second` is called once if the program runs for a second. The kernel's account is read before the program is waited for.
Ended run_and_wait(const Launch& launch, const std::function<void()>& after_start,
                   const std::function<void()>& after_first_second, const Keep& keep = {});

/// Whether a signal that ends programs has reached this process since the program began. Signals of the terminal count, too.
bool is_told_to_end();

/// Ends this process as the program ended: with the same exit status, or by the same signal. Returns the exit status when no signal ended the
/// program.
int end_like(int wait_status);

}  // namespace discnice::cli
