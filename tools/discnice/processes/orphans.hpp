// SPDX-License-Identifier: MIT
// orphans: processes of a job that outlive their parent become our children, so that nobody is lost from sight.
//
// Knowledge assumed: PR_SET_CHILD_SUBREAPER (prctl(2)): the kernel gives us whoever below us has lost his parent, as it would give him to init else. One who has ended it keeps, with his
//   account, until we wait for him.
// What breaks it: a process of the job asks for the same. Then it is in our place, and its orphans are below it.
// Who was our child before belongs to whoever started us. Where there are such, or where we are init in a container, its orphans become our children as well: then one of the job is known by
//   the variable that names the job in its environment.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

#include "tools/discnice/processes/kernel_account.hpp"

namespace discnice::processes {

/// From now on, for as long as this process lives. Before the program is started. An orphan of the job has that value of that variable, where anybody else's could come to us.
void take_orphans(const std::string& variable, const std::string& value);

/// fork() for a process that belongs to us and not to the job: it is nobody's orphan.
pid_t fork_helper();

/// Our children that belong to the job, but for the program that we have started: those who run, and those who have ended and were not waited for.
std::vector<pid_t> orphans(pid_t program);

/// One of these that has ended; 0: nobody has. One system call while nobody has.
pid_t ended_orphan(pid_t program);

/// Waits for a child that has ended. Returns what it had moved, with those it had waited for itself. Where its account may not be read any more, what was removed before it was
/// written counts as written.
KernelAccount wait_for_ended(pid_t pid);

}  // namespace discnice::processes
