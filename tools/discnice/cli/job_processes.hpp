// SPDX-License-Identifier: MIT
// job_processes: finds the processes of a job.
#pragma once

#include <vector>

#include <sys/types.h>

#include "tools/discnice/cli/jobs.hpp"

namespace discnice::cli {

/// Returns the processes of a job: all descendants of the process that started the job, that process itself if it is a member, and members whose
/// parents have ended.
std::vector<pid_t> processes_of(const MappedJob& job);

}  // namespace discnice::cli
