// SPDX-License-Identifier: MIT
// explain_command: what a command will be covered by, told before it runs.
#pragma once

#include <string>
#include <vector>

namespace discnice::cli {

/// The files whose disks a control group for this command would hold: the program, the folder we are in, and what the command names.
std::vector<std::string> group_paths(const std::string& program, const std::vector<std::string>& command);

/// How `command` would be covered, a fact a line: the program, how it is linked, what it is written in if that matters, the engine and
/// why, and for the current folder and each argument that is a file: its file system, whether it is charged, and whether the policies
/// that give way see other users of its disk. `exit_status` is that of find_target().
struct CommandExplanation {
  std::string text;
  int exit_status = 0;
};
CommandExplanation explain_command(const std::vector<std::string>& command);

}  // namespace discnice::cli
