// SPDX-License-Identifier: MIT
// daemon: divides one disk rate among the jobs that share it, until it is told to end.
//
// Jobs need no daemon: each launcher divides for its own job. The daemon does it once for all of one user's, under one total.
// Uid 0 is a user like any other: to divide for other users, the daemon would have to trust files that they made, and to write to them. What it lends is stale
// after a second: when the daemon is dead or stopped, the launchers divide again.
#pragma once

namespace discnice::policyd {

/// Runs the program, from its command line to its exit status.
int daemon_main(int argc, char** argv);

}  // namespace discnice::policyd
