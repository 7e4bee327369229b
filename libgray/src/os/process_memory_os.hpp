// SPDX-License-Identifier: MIT
// process_memory_os: the facts that the host shows a process about another process's memory, with the contract of each function. process_memory_linux.cpp
// is the real implementation.
//
// The error rule is the same as in os.hpp: a negative errno in a Result. These functions make no decisions.
#pragma once

#include <sys/types.h>

#include <string>

#include "toolbox/base/fd.hpp"
#include "toolbox/base/result.hpp"

namespace gray::os {

/// Opens /proc/PID/smaps_rollup, the kernel's sums over all mappings of a process. The descriptor belongs to the program that runs now: after exec() or the end of the process it
/// can no longer be read. On failure the reason is in error().
base::ScopedFd open_memory_sums(pid_t pid);

/// Opens /proc/PID/clear_refs, which clears the marks of use of all pages of a process. On failure the reason is in error().
base::ScopedFd open_use_marks(pid_t pid);

/// Reads a small text file whole from its beginning. 0 or a negative errno; -ESRCH if there is no text to read.
int read_again(const base::ScopedFd& file, std::string& text);

/// Clears the marks. 0 or a negative errno; -ESRCH: the process is gone.
int clear_use_marks(const base::ScopedFd& file);

/// Whether the process runs a virtual machine with KVM. False if its descriptors cannot be read.
bool runs_guest(pid_t pid);

}  // namespace gray::os
