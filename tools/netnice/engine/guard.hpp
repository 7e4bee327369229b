// SPDX-License-Identifier: MIT
// guard: two processes of netnice that watch each other, so that all sockets are restored also when one of the two is killed.
//
// The first process waits, passes signals on, and ends with the exit status of the second process. It stays an ancestor of the held processes: under Yama
// (ptrace_scope 1) only an ancestor may reach into a process.
#pragma once

#include "tools/netnice/engine/holds.hpp"

namespace netnice {

/// Forks. In the new process it returns a descriptor that becomes readable when the first process is gone, or a negative errno if there is no guard. In the
/// first process it does not return. The first process waits for the new process, restores the sockets that are still held, and exits with status_of(the new
/// process's status as from waitpid()).
int get_guard(Holds& holds, int (*status_of)(int wait_status));

}  // namespace netnice
