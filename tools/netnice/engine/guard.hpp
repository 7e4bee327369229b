// SPDX-License-Identifier: MIT
// guard: two processes of ours that watch over each other, so that all is put back also when one of them is killed.
//
// The one that was started waits, hands signals on and ends as the other one does. It stays above whoever is held: under Yama (ptrace_scope 1) only those above a
// process may reach into it.
#pragma once

#include "tools/netnice/engine/holds.hpp"

namespace netnice {

/// Forks. In the new process this returns a descriptor that becomes readable when the guard is gone; a negative errno where none is to be had. In the one that was started it does not
/// return: that waits for the new one, puts back what is held still, and ends with what `status_of` makes of the new one's end, which is as from waitpid().
int get_guard(Holds& holds, int (*status_of)(int wait_status));

}  // namespace netnice
