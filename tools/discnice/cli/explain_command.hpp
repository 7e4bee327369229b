// SPDX-License-Identifier: MIT
// explain_command: tells by which engine a command will be covered, before the command runs.
#pragma once

#include <string>
#include <vector>

namespace discnice::cli {

/// Returns the files whose disks a control group for this command would limit: the current folder, the program, and the arguments of the command.
std::vector<std::string> group_paths(const std::string& program, const std::vector<std::string>& command);

/// How `command` would be covered, one fact on each line: the program and its kind, then the engine and the reason for it. Then follow the current
/// folder and each argument that is a file: its file system, whether its traffic is charged, and whether the policies that give way see other users
/// of its disk. `exit_status` is the exit status that find_target() found.
struct CommandExplanation {
  std::string text;
  int exit_status = 0;
};
CommandExplanation explain_command(const std::vector<std::string>& command);

}  // namespace discnice::cli
