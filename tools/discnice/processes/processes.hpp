// SPDX-License-Identifier: MIT
// processes: what /proc tells of the processes of a job.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

namespace discnice::processes {

struct Descendant {
  pid_t pid;
  pid_t parent;  // of the first one: 0
};

/// All processes below `pid` that are there now, itself first, parents before their children.
std::vector<Descendant> descendants_of(pid_t pid);
std::vector<pid_t> processes_below(pid_t pid);

/// The children of the process's first thread: with those whose own parent has ended, where it takes these.
std::vector<pid_t> children_of_first_thread(pid_t pid);

/// Its parent; 0 where that is not told.
pid_t parent_of(pid_t pid);

/// Its parent, that one's parent and so on, up to the one that takes everybody whose parent has ended.
std::vector<pid_t> processes_above(pid_t pid);

/// By when they started: a number is given anew to somebody younger when the kernel has come to the last one.
bool is_older_than_we_are(pid_t pid);

/// The threads a process has now.
std::vector<pid_t> threads_of(pid_t pid);

/// /proc/PID/FILE as it is now; empty when it is not there or may not be read.
std::string read_proc(pid_t pid, const char* file);

/// The name of the program that runs in the process, as the kernel has it; may hold any character.
std::string program_name_of(pid_t pid);

/// Changes with each exec: says where the program, its loader and its stack lie, which the kernel chooses anew.
std::string image_of(pid_t pid);

/// The environment that the program in the process was started with; empty where it may not be read, and for a moment while a program is executed.
std::string environment_of(pid_t pid);
/// The value of a variable in such an environment; empty where it is not there. Pure.
std::string variable_of(const std::string& environment, const std::string& name);

/// Who a process runs as, and what it is called in its own name space of processes.
struct Identity {
  uid_t user = 0;
  bool is_in_own_pid_space = false;  // it knows itself by another number than we do
};

/// False when the process is gone.
bool read_identity(pid_t pid, Identity& identity);

/// Whether somebody traces the process: a debugger, strace.
bool is_traced(pid_t pid);

/// Whether it is a thread of the kernel's, which executes no program. False where /proc does not tell.
bool is_of_kernel(pid_t pid);

/// Whether a file system in user space (FUSE) is served by the process.
bool serves_files(pid_t pid);

/// The signals that wait for the process and that its first thread neither blocks nor ignores, a bit each, SIGHUP's the lowest. One that stands cannot take them.
std::uint64_t waiting_signals(pid_t pid);

}  // namespace discnice::processes
