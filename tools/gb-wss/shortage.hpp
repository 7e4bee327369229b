// SPDX-License-Identifier: MIT
// shortage: tells whether memory is short where these processes get theirs, so that looking at them could cost them pages.
#pragma once

#include <sys/types.h>

#include <vector>

namespace gb_wss {

/// For what percentage of the last ten seconds some process waited for memory (PSI). It counts waits in the control groups of these processes, and on the host if the host has
/// little free memory. It does not count a process that waits in a group of its own while memory is free elsewhere. 0 if the kernel does not tell.
double waited_percent(const std::vector<pid_t>& pids);

}  // namespace gb_wss
