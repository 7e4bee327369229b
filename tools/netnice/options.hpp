// SPDX-License-Identifier: MIT
// options: the command lines of netnice and of netnice adopt, checked.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "tools/netnice/engine/limits.hpp"

namespace netnice {

struct Options {
  LimitSettings limits;
  std::string report_file;
  std::string trace_file;
  bool is_quiet = false;
  bool is_json = false;
  std::vector<std::string> command;  // of netnice
  std::vector<pid_t> pids;           // of netnice adopt
};

/// Reads the command line. Returns nothing, or the exit status after saying what is wrong.
std::optional<int> read_options(int argc, char** argv, Options& options);
std::optional<int> read_adopt_options(int argc, char** argv, Options& options);

}  // namespace netnice
