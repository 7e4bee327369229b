// SPDX-License-Identifier: MIT
// job_page: `discnice report --html FILE RECORDING`: what a job moved and waited, when, for which files and by which functions, as a page.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/discnice/cli/job_history.hpp"
#include "tools/discnice/cli/profile.hpp"

namespace discnice::cli {

/// `stacks`: those of the job's profile; nothing where there is none. Pure but for the names of policies.
std::string job_page(const protocol::RecordFileHeader& header, const JobHistory& history,
                     const std::optional<std::vector<NamedStack>>& stacks);

}  // namespace discnice::cli
