// SPDX-License-Identifier: MIT
// options: what netsim was told.
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

/// Returns the status to end with, or nothing to go on.
std::optional<int> read_options(int argc, char** argv, Options& options);

}  // namespace netsim
