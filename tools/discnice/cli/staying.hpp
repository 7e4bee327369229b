// SPDX-License-Identifier: MIT
// staying: looks after the processes of a job that go on when the program it began with has ended: daemons, what a script left in the background. It holds those that the
// library is not in, and any other as soon as it executes a program that the library cannot reach.
//
// The launcher ends with its program, whose status somebody waits for. So another process does it: it has no terminal, no open file of ours, and ends with the
// last of those it holds. Where the kernel lets only ancestors trace (Yama) it stops them by signals.
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
  policy::Schedule schedule;   // of the job
  std::string preloaded_name;  // the file name of what is preloaded
  int listener_fd = -1;        // by which large calls of theirs are shown, if they are
  cgroup::Limiter* limiter =
      nullptr;  // of the control group that holds them; null: there is none. It is a copy there
};

/// Returns the process that looks after them, as soon as it does; a negative errno where there can be none. The job's segment is removed when all have ended.
pid_t hold_who_stays(protocol::Segment& segment, const protocol::SegmentName& name, const Staying& staying);

}  // namespace discnice::cli
