// SPDX-License-Identifier: MIT
// daemon: divides one disk rate among the jobs that share it, until told to end.
//
// Jobs need no daemon: each launcher divides for its own job. The daemon does it once for all of one user's, under one total.
// Uid 0 is a user like any other: who would divide for others had to believe, and write to, what they have made. What it lends is stale after a second, so a dead or stopped daemon means the launchers' own division again.
#pragma once

namespace discnice::policyd {

/// The program, from its command line to its exit status.
int daemon_main(int argc, char** argv);

}  // namespace discnice::policyd
