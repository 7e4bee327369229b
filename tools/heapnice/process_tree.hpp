// SPDX-License-Identifier: MIT
// process_tree: a process and all processes that it has started.
#pragma once

#include <vector>

namespace heapnice {

/// The process itself is first. The number of processes is bounded.
std::vector<int> processes_below(int pid);

}  // namespace heapnice
