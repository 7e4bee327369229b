// SPDX-License-Identifier: MIT
// arguments: takes the file names, and the command of --exec, out of a command line before its options are parsed.
//
// A parser of options would copy hundreds of thousands of names several times, and takes a name like "[a,b]" for a list.
#pragma once

#include <string>
#include <vector>

#include "tools/gbp/names.hpp"

namespace gbp {

struct Arguments {
  std::vector<std::string> options;  // the program's name first; options and their values
  std::vector<std::string> command;  // between --exec and {} +
  bool has_exec = false;
  bool is_exec_ended = false;  // its {} + was there
  Names names;
};

/// The spellings in the paper: "-mem".
std::vector<std::string> one_dash_options();

/// `takes_value` says which options are followed by a value. The paper's spelling with one dash (-mem, -out) comes out with
/// two. Everything behind "--" is a name.
Arguments split_arguments(int argc, char** argv, bool (*takes_value)(const std::string& option));

}  // namespace gbp
