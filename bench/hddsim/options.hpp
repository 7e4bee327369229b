// SPDX-License-Identifier: MIT
// options: the command line of hddsim.
#pragma once

#include <optional>
#include <string>

#include "bench/hddsim/serve.hpp"
#include "bench/hddsim/unit.hpp"

namespace hddsim {

enum class Task : std::uint8_t { up, down, status, serve, profiles };

struct Options {
  Task task = Task::profiles;
  UnitRequest request;
  ServeOptions serve;
  std::string down_name = "disk";
  bool is_down_all = false;
  bool is_forced = false;
  bool is_json = false;
};

/// Reads the command line. Returns nothing if the program must go on, else the exit status.
std::optional<int> read_options(int argc, char** argv, Options& options);

}  // namespace hddsim
