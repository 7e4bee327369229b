// SPDX-License-Identifier: MIT
// description: the options and arguments of a program, taken from the definition of its command line (command_line). completion makes scripts from it.
#pragma once

#include <string>
#include <vector>

namespace gray::cli {

/// The value of an option, or an argument. `name` is its name in --help, and decides what is offered: FILE, DIR, PATH, CMD, JOB, PROCESS, KEY, WHAT, VARIABLE, PROGRAM. Any other
/// name means free text. If there are choices, these are offered. If the name is FILE, files are offered as well.
struct DescribedValue {
  std::string name = {};  // empty: there is none
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
  std::vector<DescribedCommand> commands;  // the one without a name first
  std::string wrapped = {};                // a program whose options it takes, too
};

}  // namespace gray::cli
