// SPDX-License-Identifier: MIT
// targets: finds the processes to watch.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "tools/gb-wss/options.hpp"

namespace gb_wss {

/// Each process once, but not this process: the named processes, the present descendants of trees, and the present members of control groups. The result may change with each
/// call. It includes a named process that has ended.
std::vector<pid_t> find_targets(const Options& options);

/// Whether the folder is a control group's folder.
bool is_cgroup(const std::string& folder);

/// The kernel's name for a process; empty if the process is gone.
std::string name_of(pid_t pid);

}  // namespace gb_wss
