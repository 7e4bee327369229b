// SPDX-License-Identifier: MIT
// shortage: tells whether memory is short for these processes, so that measuring could make them lose pages.
#pragma once

#include <sys/types.h>

#include <vector>

namespace gb_wss {

/// In how many percent of the last ten seconds some task waited for memory (PSI): in the control groups of these processes, and on the whole host if little memory is available
/// there. A task that waits in another group does not count while the host has memory left. 0 if the kernel does not tell.
double waited_percent(const std::vector<pid_t>& pids);

}  // namespace gb_wss
