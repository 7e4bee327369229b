// SPDX-License-Identifier: MIT
// options: what the command line of memnice asks for.
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

/// Nothing when the program shall go on, else the status to end with.
std::optional<int> read_options(int argc, char** argv, Options& options);

}  // namespace memnice
