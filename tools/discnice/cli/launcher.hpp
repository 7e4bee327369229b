// SPDX-License-Identifier: MIT
// launcher: starts the program, waits for it, passes signals on.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/discnice/processes/kernel_account.hpp"

namespace discnice::cli {

/// Whether the program's large calls are shown to us before they are made: where that takes nothing from it, or else in any case.
enum class ShowCalls : std::uint8_t { never, if_privileged, always };

struct Launch {
  std::string path;
  std::vector<std::string> arguments;                            // argv, the program's name first
  std::vector<std::pair<std::string, std::string>> environment;  // set on top of ours; an empty value unsets
  bool may_be_script = true;  // what the kernel does not know is for the shell
  ShowCalls show_calls = ShowCalls::never;
  int group_fd = -1;  // of the control group that the program is to be in (cgroup.procs); -1: where we are
  int guard_socket = -1;  // of who lets the calls go should we be killed; wanted where they are shown
};

struct Ended {
  int start_error = 0;  // errno of a failed exec; nothing ran then
  int show_error =
      0;  // errno where calls were to be shown in any case and the kernel does not; nothing ran then
  int group_error = 0;  // errno where the program could not be put into the group; nothing ran then
  int wait_status = 0;  // as from waitpid()
  double elapsed_s = 0;
  std::optional<processes::KernelAccount> account;
};

/// What is done now and then while the program runs.
struct Keep {
  int period_ms = 1000;
  std::function<void(pid_t program)> look;
  std::function<void(int listener_fd)> see_calls;  // where calls are shown, as soon as the program is there
  std::function<void(pid_t program)> begin;  // when the program is there, and has not ended within `short_ms`
  std::function<void(pid_t program)> end;    // when it has ended, before it is waited for
  int short_ms = 0;
};

/// Runs the program in the foreground, in our process group. Signals sent to us are sent on to it; those of
/// the terminal reach it by themselves. `after_start` is called once while the program begins, and is for what need not be done before it;
/// `after_first_second` once if it runs that long. Reads the kernel's account before the program is reaped.
Ended run_and_wait(const Launch& launch, const std::function<void()>& after_start,
                   const std::function<void()>& after_first_second, const Keep& keep = {});

/// Whether a signal that ends programs has come to us or to the terminal's group since the program began.
bool is_told_to_end();

/// Ends this process as the program ended: the same exit status, or the same signal. Returns the status when
/// it was no signal.
int end_like(int wait_status);

}  // namespace discnice::cli
