// SPDX-License-Identifier: MIT
// process_memory_os: what the host tells one process about the memory of another process. process_memory_linux.cpp is the real implementation.
//
// The error rule is that of os.hpp: a negative errno in a Result. Nothing here decides anything.
#pragma once

#include <sys/types.h>

#include <string>

#include "toolbox/base/fd.hpp"
#include "toolbox/base/result.hpp"

namespace gray::os {

/// The kernel's sums over everything that a process maps, as the text of /proc/PID/smaps_rollup. It belongs to the program that runs there now: after exec() or the end it can't
/// be read any more. On failure the reason is in error().
base::ScopedFd open_memory_sums(pid_t pid);

/// The way to take the marks of use from all pages of a process (/proc/PID/clear_refs). On failure the reason is in error().
base::ScopedFd open_use_marks(pid_t pid);

/// Reads a small text file as a whole from its beginning. Returns 0 or a negative errno; -ESRCH if there is nothing to read.
int read_again(const base::ScopedFd& file, std::string& text);

/// Clears the marks. Returns 0 or a negative errno; -ESRCH: the process has ended.
int clear_use_marks(const base::ScopedFd& file);

/// Whether the process runs a virtual machine by the kernel's own means (KVM). False if its descriptors cannot be inspected.
bool runs_guest(pid_t pid);

}  // namespace gray::os
