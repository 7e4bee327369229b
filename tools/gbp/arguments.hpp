// SPDX-License-Identifier: MIT
// arguments: removes the file names, and the command of --exec, from a command line before its options are parsed.
//
// The option parser would copy hundreds of thousands of names several times, and would read a name like "[a,b]" as a list.
#pragma once

#include <string>
#include <vector>

#include "tools/gbp/names.hpp"

namespace gbp {

struct Arguments {
  std::vector<std::string> options;  // the program's name, then the options and their values
  std::vector<std::string> command;  // the words between --exec and {} +
  bool has_exec = false;
  bool is_exec_ended = false;  // whether {} + was found
  Names names;
};

/// The spellings in the paper: "-mem".
std::vector<std::string> one_dash_options();

/// `takes_value` says which options are followed by a value. The paper's spelling with one dash (-mem, -out) is replaced by two dashes. Every word behind "--" is a name.
Arguments split_arguments(int argc, char** argv, bool (*takes_value)(const std::string& option));

}  // namespace gbp
