// SPDX-License-Identifier: MIT
// options: reads the command line of gb-wss.
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
  std::vector<pid_t> trees;          ///< these processes and all their descendants
  std::vector<std::string> cgroups;  ///< folders of control groups: all processes in them and below them
  /// 0: ten seconds, or longer if the measurement would cost too much in that time.
  std::uint64_t span_ns = 0;
  std::size_t looks = 8;
  std::size_t windows = 1;
  bool is_forced = false;  ///< measure even if memory is short
  bool is_json = false;
};

/// Returns nothing when the program should continue, else the exit status.
std::optional<int> read_options(int argc, char** argv, Options& options);

}  // namespace gb_wss
