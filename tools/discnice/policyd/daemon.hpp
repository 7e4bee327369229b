// SPDX-License-Identifier: MIT
// daemon: divides one disk rate among the jobs that share it, until a signal ends it.
//
// Jobs need no daemon: each launcher divides the rate for its own job. The daemon divides once for all jobs of one user, under one total. Uid 0 is treated like
// any user. If the daemon divided for other users, it would have to trust and write files that these users made. A rate that the daemon lends is valid for one
// second. When the daemon is dead or stopped, the launchers divide again.
#pragma once

namespace discnice::policyd {

/// The whole program. Returns its exit status.
int daemon_main(int argc, char** argv);

}  // namespace discnice::policyd
