// SPDX-License-Identifier: MIT
// shortage: whether memory is short where these processes get theirs, so that to look at them could cost them pages.
#pragma once

#include <sys/types.h>

#include <vector>

namespace gb_wss {

/// How many percent of the last ten seconds somebody waited for memory (PSI): in the control groups of these processes, and on the host where little of it is available. Who waits in a group of his own, with memory left
/// elsewhere, does not count. 0 where the kernel does not tell.
double waited_percent(const std::vector<pid_t>& pids);

}  // namespace gb_wss
