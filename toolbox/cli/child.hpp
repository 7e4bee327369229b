// SPDX-License-Identifier: MIT
// child: runs the command that a launcher of ours was given, and ends as it ends.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace gray::cli {

/// How long to leave the command alone, unless this descriptor gets readable first; -1 is none.
struct ChildPause {
  std::uint64_t time_ns = 0;
  int wake_fd = -1;
};

/// What became of it.
struct ChildEnd {
  bool has_run = false;
  int status =
      0;  // to end with: its own, 128 and the signal that killed it, or 125 to 127 after saying why it could not be started
  std::uint64_t resident_peak_bytes = 0;
};

/// Runs the command in this environment. SIGTERM and SIGHUP are handed on to it; what the terminal sends reaches it anyway. `look` is called
/// with its number at first and after each pause, while it runs. Changes how this process takes signals, for good.
ChildEnd run_child(const std::vector<std::string>& command, const std::function<ChildPause(pid_t)>& look);

}  // namespace gray::cli
