// SPDX-License-Identifier: MIT
// targets: which processes are meant now.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "tools/gb-wss/options.hpp"

namespace gb_wss {

/// Each process once, without ourselves: those named, with the descendants of trees and the members of control groups as they are now. May change with each call. A process
/// that was named and has ended is among them.
std::vector<pid_t> find_targets(const Options& options);

/// Whether the folder is that of a control group.
bool is_cgroup(const std::string& folder);

/// What the kernel calls a process; empty if it is gone.
std::string name_of(pid_t pid);

}  // namespace gb_wss
