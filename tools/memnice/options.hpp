// SPDX-License-Identifier: MIT
// options: reads the command line of memnice.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libgray/src/memory/pools.hpp"
#include "tools/memnice/allowance.hpp"

namespace memnice {

enum class WantedMeans { best, group, pause };

struct Options {
  Wishes wishes;
  gray::memory::PoolOptions pools;
  WantedMeans means = WantedMeans::best;
  bool is_quiet = false;
  bool is_verbose = false;
  std::string report;  ///< a file; empty: none
  std::vector<std::string> command;
};

/// Returns nothing when the program should continue, else the exit status.
std::optional<int> read_options(int argc, char** argv, Options& options);

}  // namespace memnice
