// SPDX-License-Identifier: MIT
// orphans: makes processes of a job that outlive their parent children of discnice, so that no process is lost from sight.
//
// Knowledge assumed: with PR_SET_CHILD_SUBREAPER (prctl(2)) a descendant of discnice that loses its parent becomes a child of discnice, and not of init. The kernel keeps such a
// process, with its account, after its end until discnice waits for it. What breaks it: a process of the job may ask for the same. Then orphans below it become its children.
// Processes that were children of discnice before do not belong to the job. If there are such children, or if discnice is init in a container, their orphans become children of
// discnice as well. Then a process of the job is recognised by the variable in its environment that names the job.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

#include "tools/discnice/processes/kernel_account.hpp"

namespace discnice::processes {

/// Begins this, for as long as this process lives. To be called before the program is started. If orphans of other programs may come to this process, an orphan of the job is
/// recognised by this value of this variable.
void take_orphans(const std::string& variable, const std::string& value);

/// fork() for a process that belongs to the launcher and not to the job, so it is nobody's orphan.
pid_t fork_helper();

/// The children of this process that belong to the job, except the program that it has started: running ones, and ones that have ended and were not waited for.
std::vector<pid_t> orphans(pid_t program);

/// One of these that has ended, or 0 if none has. One system call if none has ended.
pid_t ended_orphan(pid_t program);

/// Waits for a child that has ended. Returns the bytes that it and its own waited-for children have moved. If its account can't be read any more, data that was removed before it
/// was written counts as written.
KernelAccount wait_for_ended(pid_t pid);

}  // namespace discnice::processes
