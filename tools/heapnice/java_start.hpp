// SPDX-License-Identifier: MIT
// java_start: finds the options that a JVM needs at its start, so that its heap can be changed afterwards.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heapnice {

/// The facts about the JVM before it starts.
struct JavaStart {
  std::vector<std::string>
      words;        // all options of the user: in the command, and in the variables that a JVM reads
  int release = 0;  // 17; 0: not known
};

/// The facts about this command in this environment.
JavaStart look_at_start(const std::vector<std::string>& command);

/// Whether the user's options set the size of the heap.
bool has_heap_size(const JavaStart& start);

/// The options to put before the content of JAVA_TOOL_OPTIONS. The user's own options come after them and take precedence. Empty if no option is missing. Pure.
std::string added_options(const JavaStart& start, std::uint64_t max_bytes);

}  // namespace heapnice
