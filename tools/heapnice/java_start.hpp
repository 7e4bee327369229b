// SPDX-License-Identifier: MIT
// java_start: finds the options that a JVM must get at its start, so that its heap size can be changed later.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heapnice {

/// The known facts about the JVM before it starts.
struct JavaStart {
  std::vector<std::string>
      words;        // all options that the user gave: of the command, and of the variables that a JVM reads
  int release = 0;  // 17; 0: not known
};

/// The facts for this command in this environment.
JavaStart look_at_start(const std::vector<std::string>& command);

/// Whether the user has set the largest size of the heap.
bool has_heap_size(const JavaStart& start);

/// The options to put at the front of JAVA_TOOL_OPTIONS. Options of the user come behind them and take precedence. Empty if nothing is missing. Pure.
std::string added_options(const JavaStart& start, std::uint64_t max_bytes);

}  // namespace heapnice
