// SPDX-License-Identifier: MIT
// session: netnice from its start to its end: a command that is run, or processes that are adopted, and what is told of it.
#pragma once

#include "tools/netnice/options.hpp"

namespace netnice {

/// Both return the status to end with.
int run_command(const Options& options);
int run_adopted(const Options& options);

}  // namespace netnice
