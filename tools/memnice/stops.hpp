// SPDX-License-Identifier: MIT
// stops: remembers which processes memnice has stopped. The list lies in memory that a guard shares. So if memnice is killed, no process stays stopped, and no process is
// continued that somebody else had stopped.
#pragma once

#include <sys/types.h>

#include <vector>

namespace memnice {

/// 'R', 'S', 'T' for a stopped process, 'Z' for one that has ended; 'X' if it does not exist.
char state_of(pid_t pid);

/// Makes the list. To be called before the guard is forked. False if there is no memory for it; then no process will be stopped.
bool share_stops();

/// Stops those of them that run, and returns these. A process that is already stopped was stopped by somebody else.
std::vector<pid_t> stop_running(const std::vector<pid_t>& pids);

/// Lets those of them go on that memnice stopped. The last one goes first, so that a shell that waits for its child finds it running again.
void let_go_on(const std::vector<pid_t>& pids);

/// Lets all processes go on that memnice stopped.
void let_all_go_on();

}  // namespace memnice
