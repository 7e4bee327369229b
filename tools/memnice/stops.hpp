// SPDX-License-Identifier: MIT
// stops: the list of processes that memnice has stopped. The list is in memory that the guard shares. So no process stays stopped if memnice is killed, and no process that
// another program stopped is continued.
#pragma once

#include <sys/types.h>

#include <vector>

namespace memnice {

/// The state of a process: 'R' or 'S', or 'T' if the process is stopped, 'Z' if it has ended, 'X' if it no longer exists.
char state_of(pid_t pid);

/// Makes the list. Call it before the guard is forked. False: there is no memory for the list, and no process will be stopped.
bool share_stops();

/// Stops those of the processes that run, and returns them. A process that is stopped already was stopped by another program, and is left out.
std::vector<pid_t> stop_running(const std::vector<pid_t>& pids);

/// Continues those of the processes that memnice has stopped. The last process comes first, so that a shell that waits for its child finds the child running again.
void let_go_on(const std::vector<pid_t>& pids);

/// Continues all processes that memnice has stopped.
void let_all_go_on();

}  // namespace memnice
