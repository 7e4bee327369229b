// SPDX-License-Identifier: MIT
// staying: looks after the processes of a job that go on when the job's first program has ended: daemons, and what a script left in the background.
// It limits from outside the processes that have no library. It also limits any other process as soon as that process executes a program that the
// library cannot reach.
//
// The launcher ends with its program, because its parent waits for the program's exit status. So another process holds the processes that go on.
// That process has no terminal and no open file of the launcher. It ends with the last process that it holds. If the kernel lets only ancestors
// trace (Yama), this process stops the others by signals.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

#include "tools/discnice/cgroup/limiter.hpp"
#include "tools/discnice/policy/schedule.hpp"
#include "tools/discnice/protocol/layout.hpp"
#include "tools/discnice/protocol/segment.hpp"

namespace discnice::cli {

struct Staying {
  std::vector<pid_t> processes;
  policy::Schedule schedule;   // the schedule of the job
  std::string preloaded_name;  // the file name of the preloaded library
  int listener_fd = -1;        // shows large calls of these processes; -1: they are not shown
  // The limiter of the control group that holds the processes; null: there is no group. The new process has a copy of the limiter.
  cgroup::Limiter* limiter = nullptr;
};

/// Starts a process that holds these processes. Returns its pid as soon as it holds them, or a negative errno when there can be no such process. The
/// job's segment is removed when all processes have ended.
pid_t hold_who_stays(protocol::Segment& segment, const protocol::SegmentName& name, const Staying& staying);

}  // namespace discnice::cli
