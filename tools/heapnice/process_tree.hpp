// SPDX-License-Identifier: MIT
// process_tree: finds a process and all its descendants, and reads facts about a process from /proc.
#pragma once

#include <string>
#include <vector>

namespace heapnice {

/// The process itself comes first. The number of processes is limited.
std::vector<int> processes_below(int pid);

/// The last word of that line of /proc/PID/status, "NSpid" for instance: the number of the process in its own PID namespace. Empty if there is
/// no such line.
std::string last_status_word(int pid, const std::string& key);

}  // namespace heapnice
