// SPDX-License-Identifier: MIT
// description: the options and arguments that a program's command line takes, as command_line defines them. completion makes shell scripts of it.
#pragma once

#include <string>
#include <vector>

namespace gray::cli {

/// The value that follows an option, or an argument. `name` is its name in --help, and decides what a shell offers: FILE, DIR, PATH, CMD, JOB, PROCESS, KEY, WHAT, VARIABLE,
/// PROGRAM; any other name is free text. Where there are choices, the shell offers these, together with files if the name is FILE.
struct DescribedValue {
  std::string name = {};  // empty: there is no value
  std::vector<std::string> choices = {};
};

struct DescribedOption {
  std::vector<std::string> names;  // "-r", "--rate"
  DescribedValue value;
  std::string help;
  bool may_repeat = false;
};

struct DescribedCommand {
  std::string name;  // empty: the program without a sub-command
  std::string help;
  std::vector<DescribedOption> options;
  std::vector<DescribedValue> arguments;
  bool is_last_repeated = false;
  bool runs_command = false;  // the first word that is no option begins another program's command line
};

struct DescribedProgram {
  std::string name;
  std::vector<DescribedCommand> commands;  // the command without a name comes first
  std::string wrapped = {};                // another program whose options this program takes, too
};

}  // namespace gray::cli
