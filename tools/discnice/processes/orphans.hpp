// SPDX-License-Identifier: MIT
// orphans: makes processes of a job that outlive their parent children of this process, so that this process can find
// all of them.
//
// Knowledge assumed: PR_SET_CHILD_SUBREAPER (prctl(2)): when a process below this one loses its parent, the kernel makes it a child of this process instead of
//   init's. A child that has ended stays, with its account, until this process waits for it.
// What breaks it: a process of the job asks for the same. Then the orphans below that process become its own children. Children that this process already had
//   belong to the program that started it. When there are such children, or when this process is init in a container, their orphans become children of this
//   process as well. Then a process of the job is recognised by the variable in its environment that names the job.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

#include "tools/discnice/processes/kernel_account.hpp"

namespace discnice::processes {

/// Takes orphans from now on, for as long as this process lives. To be called before the program is started. When orphans of other programs may come as well,
/// an orphan belongs to the job if `variable` has the value `value` in its environment.
void take_orphans(const std::string& variable, const std::string& value);

/// fork() for a process that belongs to this program and not to the job, so that it does not count as an orphan.
pid_t fork_helper();

/// The children of this process that belong to the job, except the started program: those that run, and those that have ended and were not waited for.
std::vector<pid_t> orphans(pid_t program);

/// Returns a process of the list of orphans() that has ended, or 0 if none has ended. Costs one system call while none has ended.
pid_t ended_orphan(pid_t program);

/// Waits for a child that has ended. Returns the bytes that the child moved, with the bytes of the children that it had waited for. When the child's account
/// can no longer be read, data that was removed before it was written counts as written.
KernelAccount wait_for_ended(pid_t pid);

}  // namespace discnice::processes
