// SPDX-License-Identifier: MIT
// session: a run of netnice from start to end: it runs a command or adopts processes, and reports at the end.
#pragma once

#include "tools/netnice/options.hpp"

namespace netnice {

/// Both return the exit status.
int run_command(const Options& options);
int run_adopted(const Options& options);

}  // namespace netnice
