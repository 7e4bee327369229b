// SPDX-License-Identifier: MIT
// options: what the command line of gb-wss asks for.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gb_wss {

struct Options {
  std::vector<pid_t> pids;
  std::vector<pid_t> trees;          ///< these and all their descendants
  std::vector<std::string> cgroups;  ///< folders; all processes in them and below
  std::uint64_t span_ns = 0;         ///< 0: ten seconds, or longer where that would cost too much
  std::size_t looks = 8;
  std::size_t windows = 1;
  bool is_forced = false;  ///< although memory is short
  bool is_json = false;
};

/// Empty if the program must go on, else the exit status.
std::optional<int> read_options(int argc, char** argv, Options& options);

}  // namespace gb_wss
