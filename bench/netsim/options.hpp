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
  std::string far_command;  // for sh; empty: no far command
  std::string report_file;
  std::vector<std::string> command;
  bool are_children_ignored = false;  // the caller ignores SIGCHLD, and the commands must do so again
};

/// Returns the exit status, or nothing if the program must go on.
std::optional<int> read_options(int argc, char** argv, Options& options);

}  // namespace netsim
