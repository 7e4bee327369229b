// SPDX-License-Identifier: MIT
// runs: runs grep over the files in their order, as many times as its arguments need, and ends as a single grep would.
#pragma once

#include <string>
#include <vector>

#include "tools/gb-grep/command_line.hpp"
#include "tools/gbp/cost.hpp"

namespace gb_grep {

/// `files` is in the order of gbp::OrderedFiles. If one run can take all files, and may print directly, this program becomes grep. Returns the exit status.
int run_over(const std::string& program, const CommandLine& line, const std::vector<gbp::File>& files);

}  // namespace gb_grep
