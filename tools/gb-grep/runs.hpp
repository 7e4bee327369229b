// SPDX-License-Identifier: MIT
// runs: runs grep over the files in their order, as often as its arguments need, and ends as one grep would.
#pragma once

#include <string>
#include <vector>

#include "tools/gb-grep/command_line.hpp"
#include "tools/gbp/cost.hpp"

namespace gb_grep {

/// `files` as gbp::OrderedFiles gives them. Where one run can take them all, and may print as it goes, this program becomes grep. Returns the
/// status to end with.
int run_over(const std::string& program, const CommandLine& line, const std::vector<gbp::File>& files);

}  // namespace gb_grep
