// SPDX-License-Identifier: MIT
// runs: the first phase: reads, sorts and writes as many records as fit into memory, again and again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fastsort {

struct RunOptions {
  std::vector<std::string> inputs;
  std::string run_folder;
  std::uint64_t pass_bytes = 0;  // fixed; 0: gb_alloc() says
  std::uint64_t min_bytes = 0;   // least for gb_alloc()
  std::uint64_t max_bytes = 0;   // limit for gb_alloc(); 0: the amount that saves time
  bool is_linear = false;        // inputs in order, not cached parts first
};

struct PhaseTimes {
  std::size_t passes = 0;
  double alloc_s = 0;  // in gb_alloc(), waiting included
  double read_s = 0;
  double sort_s = 0;
  double write_s = 0;
  long major_faults = 0;           // in the read, sort and write phases
  std::uint64_t returns = 0;       // how often memory was given back for other processes
  std::uint64_t memory_bytes = 0;  // the sum over all passes
};

double now_s();
long count_major_faults();

/// Makes the sorted runs and returns their files, in the order of the passes or merged already.
std::vector<int> make_runs(const RunOptions& options, PhaseTimes& times);

}  // namespace fastsort
