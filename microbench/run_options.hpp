// SPDX-License-Identifier: MIT
// run_options: what `microbench run` was asked for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "microbench/benchmark.hpp"

namespace microbench {

struct RunOptions {
  Effort effort = Effort::kDefault;
  std::vector<std::string> directories;  ///< Each on a file system to be measured; "." if none is named.
  std::string file;                      ///< Read this one instead of making a test file; empty: make one.
  std::vector<const Benchmark*> only;    ///< Empty: whatever is missing or stale.
  bool is_anew = false;                  ///< Also what is known already.
  bool is_for_host = false;              ///< Keep it in the host's file, for all users.
  bool is_strict = false;                ///< Refuse to measure a busy host.
  bool may_replace = false;              ///< Move a record that cannot be used aside.
};

/// As gray::cli::parse(): the status to end with at once, or nothing.
std::optional<int> read_run_options(int argc, char** argv, RunOptions& options);

}  // namespace microbench
