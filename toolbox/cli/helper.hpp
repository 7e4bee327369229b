// SPDX-License-Identifier: MIT
// helper: the first actions of a helper process, which should survive when the program that started it is killed.
#pragma once

namespace gray::cli {

/// Called in a process that was just forked. The process gets a session of its own, so that the terminal does not end the process together with the program.
/// The process receives no signals, gets the name `name`, and keeps only this descriptor and standard error.
void become_helper(int kept_fd, const char* name);

}  // namespace gray::cli
