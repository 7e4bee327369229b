// SPDX-License-Identifier: MIT
// job_processes: which processes a job has.
#pragma once

#include <vector>

#include <sys/types.h>

#include "tools/discnice/cli/jobs.hpp"

namespace discnice::cli {

/// The processes of a job: all below the one that started it, that one if it is a member, and members whose parents have ended.
std::vector<pid_t> processes_of(const MappedJob& job);

}  // namespace discnice::cli
