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
  pid_t parent;  // of the first one: 0
};

/// All present processes below `pid`, `pid` itself first, parents before their children.
std::vector<Descendant> descendants_of(pid_t pid);
std::vector<pid_t> processes_below(pid_t pid);

/// The children of the process's first thread. If this process adopts orphans, these are included.
std::vector<pid_t> children_of_first_thread(pid_t pid);

/// The parent of the process; 0 if it is unknown.
pid_t parent_of(pid_t pid);

/// The parent of the process, the parent of that one, and so on, up to the process that adopts all orphans.
std::vector<pid_t> processes_above(pid_t pid);

/// Whether the process started before this one. Its number alone does not tell this, because the kernel uses numbers again.
bool is_older_than_we_are(pid_t pid);

/// The present threads of a process.
std::vector<pid_t> threads_of(pid_t pid);

/// The present content of /proc/PID/FILE; empty if the file does not exist or may not be read.
std::string read_proc(pid_t pid, const char* file);

/// The kernel's name of the program that runs in the process. It may hold any character.
std::string program_name_of(pid_t pid);

/// A value that changes with each exec: it tells where the program, its loader and its stack lie, and the kernel chooses these places anew.
std::string image_of(pid_t pid);

/// The environment with which the program in the process was started. Empty if it may not be read, and for a moment while a program is executed.
std::string environment_of(pid_t pid);
/// The value of a variable in such an environment; empty if there is none. Pure.
std::string variable_of(const std::string& environment, const std::string& name);

/// The users of a process, and its number in its own PID namespace.
struct Identity {
  uid_t user = 0;
  bool is_in_own_pid_space = false;  // it knows itself by another number than we do
};

/// False if the process has ended.
bool read_identity(pid_t pid, Identity& identity);

/// Whether another program traces the process: a debugger, strace.
bool is_traced(pid_t pid);

/// Whether the process serves a file system in user space (FUSE).
bool serves_files(pid_t pid);

/// The pending signals of the process that its first thread neither blocks nor ignores, one bit each; SIGHUP is the lowest. A stopped process cannot handle them.
std::uint64_t waiting_signals(pid_t pid);

}  // namespace discnice::processes
