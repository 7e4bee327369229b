// SPDX-License-Identifier: MIT
// process_memory_os: what the host lets one process see of another's memory, with its contract. process_memory_linux.cpp is the real one.
//
// The error rule is that of os.hpp: a negative errno in a Result. Nothing here decides anything.
#pragma once

#include <sys/types.h>

#include <string>

#include "toolbox/base/fd.hpp"
#include "toolbox/base/result.hpp"

namespace gray::os {

/// The kernel's sums over all that a process maps, as the text of /proc/PID/smaps_rollup. It belongs to the program that runs there now: after exec() or the end
/// there is nothing more to read. On failure the reason is in error().
base::ScopedFd open_memory_sums(pid_t pid);

/// The way to take the marks of use from all pages of a process (/proc/PID/clear_refs). On failure the reason is in error().
base::ScopedFd open_use_marks(pid_t pid);

/// Reads a small text file whole from its beginning. 0 or a negative errno; -ESRCH where there is nothing to read.
int read_again(const base::ScopedFd& file, std::string& text);

/// Takes the marks away. 0 or a negative errno; -ESRCH: the process is gone.
int clear_use_marks(const base::ScopedFd& file);

/// Whether the process runs a virtual machine by the kernel's own means (KVM). False where its descriptors cannot be looked at.
bool runs_guest(pid_t pid);

}  // namespace gray::os
