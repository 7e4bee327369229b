// SPDX-License-Identifier: MIT
// run_options: the options of `microbench run`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "microbench/benchmark.hpp"

namespace microbench {

struct RunOptions {
  Effort effort = Effort::kDefault;
  /// Each directory is on a file system to be measured; "." if none is named.
  std::vector<std::string> directories;
  std::string file;  ///< Read this file instead of making a test file; empty: make a test file.
  std::vector<const Benchmark*> only;  ///< Run only these; empty: all whose values are missing or stale.
  bool is_anew = false;                ///< Measure known values again, too.
  bool is_for_host = false;            ///< Record the values in the host's file, for all users.
  bool is_strict = false;              ///< Refuse to measure a busy host.
  bool may_replace = false;            ///< Move a record that cannot be used aside.
};

/// Same as gray::cli::parse(): returns the status with which the program should end at once, or nothing.
std::optional<int> read_run_options(int argc, char** argv, RunOptions& options);

}  // namespace microbench
