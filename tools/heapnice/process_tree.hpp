// SPDX-License-Identifier: MIT
// process_tree: a process and all that it has started.
#pragma once

#include <vector>

namespace heapnice {

/// That process first. At most as many as anybody would want to look at.
std::vector<int> processes_below(int pid);

}  // namespace heapnice
