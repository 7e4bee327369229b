// SPDX-License-Identifier: MIT
// process_tree: lists a process and all its descendants.
#pragma once

#include <vector>

namespace heapnice {

/// The process itself comes first. The number of processes is limited.
std::vector<int> processes_below(int pid);

}  // namespace heapnice
