// SPDX-License-Identifier: MIT
// session: the process that is the line: the first one of a PID namespace, in which everything that is started here lives and with
// which it ends.
#pragma once

#include "bench/netsim/options.hpp"

namespace netsim {

/// Makes the ends, starts the far command and then the near one, carries packets until that has ended, ends all others. Returns the
/// status to end with. Must be the first process of its PID namespace; reading `parent_fd` ends when netsim itself does.
int run_session(const Options& options, int parent_fd);

}  // namespace netsim
