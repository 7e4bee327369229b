// SPDX-License-Identifier: MIT
// command: runs another program and keeps its output.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace hddsim {

struct CommandResult {
  int exit_status = 0;  ///< 128 + n after signal n; 127 when there is no such program.
  std::string output;   ///< stdout and stderr together, without the last newline.
};

/// Runs `arguments` and waits for its end. The program is looked for in PATH and in the system's folders for administrators.
CommandResult run_command(const std::vector<std::string>& arguments);

/// Starts `arguments` as a process in its own session that outlives this one, with its output in `log_path`. Returns 0, or the errno.
int start_server(const std::vector<std::string>& arguments, const std::string& log_path);

}  // namespace hddsim
