// SPDX-License-Identifier: MIT
// options: the command line of netsim.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/netsim/line.hpp"

namespace netsim {

struct Options {
  LineShape shape;
  std::string far_command;  // for sh; empty is none
  std::string report_file;
  std::vector<std::string> command;
  bool are_children_ignored = false;  // by our caller, and then by the commands
};

/// Returns the exit status, or nothing if the program must go on.
std::optional<int> read_options(int argc, char** argv, Options& options);

}  // namespace netsim
