// SPDX-License-Identifier: MIT
// description: what a program's command line takes, as its definition (command_line) says. completion makes scripts of it.
#pragma once

#include <string>
#include <vector>

namespace gray::cli {

/// What stands behind an option, or as an argument. `name` is what --help calls it, and says what is offered: FILE, DIR, PATH, CMD, JOB, PROCESS, KEY,
/// WHAT, VARIABLE, PROGRAM; whatever else is free text. Where there are choices, these are, beside FILEs if that is the name.
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
