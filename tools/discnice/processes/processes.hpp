// SPDX-License-Identifier: MIT
// processes: reads from /proc about the processes of a job.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

namespace discnice::processes {

struct Descendant {
  pid_t pid;
  pid_t parent;  // 0 for the first one
};

/// All processes that are below `pid` now, with `pid` itself first, and parents before their children.
std::vector<Descendant> descendants_of(pid_t pid);
std::vector<pid_t> processes_below(pid_t pid);

/// The children of the process's first thread. When the process takes orphans, they are included.
std::vector<pid_t> children_of_first_thread(pid_t pid);

/// The parent of the process; 0 when it is not known.
pid_t parent_of(pid_t pid);

/// The ancestors of the process: its parent, the parent's parent and so on, up to the process that takes all orphans.
std::vector<pid_t> processes_above(pid_t pid);

/// Compares the times at which the processes started, because the kernel may give the number of an ended process to a younger process.
bool is_older_than_we_are(pid_t pid);

/// The threads that the process has now.
std::vector<pid_t> threads_of(pid_t pid);

/// The content of /proc/PID/FILE; empty when the file does not exist or cannot be read.
std::string read_proc(pid_t pid, const char* file);

/// The name of the program that runs in the process, as the kernel has it. It may contain any character.
std::string program_name_of(pid_t pid);

/// A text that changes with each exec. It has the addresses of the program, its loader and its stack, and the kernel chooses these
/// addresses anew.
std::string image_of(pid_t pid);

/// The environment with which the program in the process was started. Empty when it cannot be read, and for a moment during an exec.
std::string environment_of(pid_t pid);
/// The value of a variable in such an environment; empty when the environment does not have the variable. Pure.
std::string variable_of(const std::string& environment, const std::string& name);

/// The user of a process, and whether it has another number in its own PID namespace.
struct Identity {
  uid_t user = 0;
  bool is_in_own_pid_space = false;  // it knows itself by another number than this process does
};

/// False if the process has ended.
bool read_identity(pid_t pid, Identity& identity);

/// Whether another process traces the process: a debugger, strace.
bool is_traced(pid_t pid);

/// Whether the process is a thread of the kernel, which executes no program. False where /proc does not tell.
bool is_of_kernel(pid_t pid);

/// Whether a file system in user space (FUSE) is served by the process.
bool serves_files(pid_t pid);

/// The signals that wait for the process and that its first thread neither blocks nor ignores. Each signal has one bit, and SIGHUP has the lowest bit. A
/// stopped process cannot receive these signals.
std::uint64_t waiting_signals(pid_t pid);

}  // namespace discnice::processes
