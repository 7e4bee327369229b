// SPDX-License-Identifier: MIT
// targets: finds the processes that are watched now.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "tools/gb-wss/options.hpp"

namespace gb_wss {

/// Each process once, but not this one: the named processes, the present descendants of trees, and the present members of control groups. The result may change with each call. A
/// named process that has ended is included.
std::vector<pid_t> find_targets(const Options& options);

/// Whether the folder is that of a control group.
bool is_cgroup(const std::string& folder);

/// The kernel's name of a process; empty if it has ended.
std::string name_of(pid_t pid);

}  // namespace gb_wss
