// SPDX-License-Identifier: MIT
// helper: the first steps of a helper process that must live on if its launcher is killed.
#pragma once

namespace gray::cli {

/// For a process that was just forked. It gets a session of its own, so that a signal from the terminal to the launcher does not end it. It ignores signals, takes this name, and
/// keeps only this descriptor and standard error open.
void become_helper(int kept_fd, const char* name);

}  // namespace gray::cli
