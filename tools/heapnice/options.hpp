// SPDX-License-Identifier: MIT
// options: the command line of heapnice, checked.
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
  std::uint64_t max_bytes = 0;  // 0: as much as the tightest limit allows
  gray::memory::PoolOptions pools;
  Runtime runtime = Runtime::none;
  std::string json_file;
  bool is_verbose = false;
  std::vector<std::string> command;
};

/// Reads the command line. Returns nothing, or the exit status after saying what is wrong.
std::optional<int> read_options(int argc, char** argv, Options& options);

}  // namespace heapnice
