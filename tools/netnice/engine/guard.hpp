// SPDX-License-Identifier: MIT
// guard: two processes of ours that watch over each other, so that all is put back also when one of them is killed.
//
// The one that was started waits, hands signals on and ends as the other one does. It stays above whoever is held: under Yama (ptrace_scope 1) only those above a
// process may reach into it.
#pragma once

#include <functional>

#include "tools/netnice/engine/holds.hpp"

namespace netnice {

/// Forks. `work` runs in the new process; its descriptor becomes readable when the guard is gone. In the other one this returns what `work` returned, or 128 and the signal
/// that killed it; all holds are then put back.
int run_guarded(Holds& holds, const std::function<int(int guard_fd)>& work);

}  // namespace netnice
