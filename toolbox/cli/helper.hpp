// SPDX-License-Identifier: MIT
// helper: what a process of ours does first that is to outlive us should we be killed.
#pragma once

namespace gray::cli {

/// In a process that was just forked: a session of its own, so that what ends ours by the terminal does not end it, no signals, this name, and no descriptor but this one and standard error.
void become_helper(int kept_fd, const char* name);

}  // namespace gray::cli
