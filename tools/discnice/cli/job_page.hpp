// SPDX-License-Identifier: MIT
// job_page: `discnice report --html FILE RECORDING`: a page that shows what a job moved, how long it waited, when, for which files and by which
// functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/discnice/cli/job_history.hpp"
#include "tools/discnice/cli/profile.hpp"

namespace discnice::cli {

/// `stacks` are the call stacks of the job's profile; nothing when there is no profile. Pure, except that it looks up the names of policies.
std::string job_page(const protocol::RecordFileHeader& header, const JobHistory& history,
                     const std::optional<std::vector<NamedStack>>& stacks);

}  // namespace discnice::cli
