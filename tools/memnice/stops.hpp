// SPDX-License-Identifier: MIT
// stops: who stands still by our will. The list lies in memory that a guard shares, so that nobody is forgotten when we are killed, and nobody is woken whom somebody else stopped.
#pragma once

#include <sys/types.h>

#include <vector>

namespace memnice {

/// 'R', 'S', 'T' for a stopped one, 'Z' for one that has ended; 'X' if it is gone.
char state_of(pid_t pid);

/// Makes the list, to be called before the guard is forked. False: there is no memory for it, and nobody will be stopped.
bool share_stops();

/// Stops those of them that run, and returns these: who stands still already does so by somebody else's will.
std::vector<pid_t> stop_running(const std::vector<pid_t>& pids);

/// Lets those of them go on that we stopped. The last first: a shell that waits for its child finds it running again.
void let_go_on(const std::vector<pid_t>& pids);

/// Lets go on whoever we stopped.
void let_all_go_on();

}  // namespace memnice
