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
  std::string run_prefix;        // runs are PREFIX.0, PREFIX.1 and so on
  std::uint64_t pass_bytes = 0;  // a fixed size; 0: gb_alloc() decides
  std::uint64_t min_bytes = 0;   // the minimum for gb_alloc()
  std::uint64_t max_bytes = 0;   // the maximum for gb_alloc(), even if more would pay; 0: the size that pays
  bool is_linear = false;        // read the inputs in their order, not cached parts first
};

struct PhaseTimes {
  double alloc_s = 0;  // time in gb_alloc(), including waiting
  double read_s = 0;
  double sort_s = 0;
  double write_s = 0;
  long major_faults = 0;           // in the read, sort and write phases
  std::uint64_t returns = 0;       // how often memory was given back for other processes
  std::uint64_t memory_bytes = 0;  // the sum over all passes
};

double now_s();
long count_major_faults();

/// Makes the sorted runs and returns their paths.
std::vector<std::string> make_runs(const RunOptions& options, PhaseTimes& times);

}  // namespace fastsort
