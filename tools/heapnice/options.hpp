// SPDX-License-Identifier: MIT
// options: reads and checks the command line of heapnice.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libgray/src/memory/pools.hpp"
#include "tools/heapnice/runtime.hpp"

namespace heapnice {

struct Options {
  std::uint64_t min_bytes = 0;
  std::uint64_t max_bytes = 0;  // 0: as much as the tightest memory limit allows
  gray::memory::PoolOptions pools;
  Runtime runtime = Runtime::none;
  std::string json_file;
  bool is_verbose = false;
  std::vector<std::string> command;
};

/// Reads the command line. Returns nothing, or prints what is wrong and returns the exit status.
std::optional<int> read_options(int argc, char** argv, Options& options);

}  // namespace heapnice
