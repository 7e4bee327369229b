// SPDX-License-Identifier: MIT
// session: the process that emulates the line. It is the first process of a PID namespace: every process that it starts lives in this
// namespace and ends with it.
#pragma once

#include "bench/netsim/options.hpp"

namespace netsim {

/// Makes the two ends, starts the far command and then the near command, carries packets until the near command has ended, and ends all other processes. Returns
/// the exit status. Must run as the first process of its PID namespace. A read() of `parent_fd` returns when netsim itself has ended.
int run_session(const Options& options, int parent_fd);

}  // namespace netsim
