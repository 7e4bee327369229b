// SPDX-License-Identifier: MIT
// process_tree: a process and all that it has started, and what the kernel says of one.
#pragma once

#include <string>
#include <vector>

namespace heapnice {

/// The process itself comes first. The number of processes is limited.
std::vector<int> processes_below(int pid);

/// The last word of that line of /proc/PID/status, "NSpid" for instance: the number by which the process knows itself. Empty if it is not there.
std::string last_status_word(int pid, const std::string& key);

}  // namespace heapnice
