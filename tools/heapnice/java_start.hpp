// SPDX-License-Identifier: MIT
// java_start: what a JVM has to be given when it starts, so that its heap can be moved afterwards.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heapnice {

/// What is known of the JVM before it starts.
struct JavaStart {
  std::vector<std::string>
      words;        // all options that the user gave: of the command, and of the variables that a JVM reads
  int release = 0;  // 17; 0: not known
};

/// Of this command in this environment.
JavaStart look_at_start(const std::vector<std::string>& command);

/// Whether the user says how large the heap may be.
bool has_heap_size(const JavaStart& start);

/// What to put in front of JAVA_TOOL_OPTIONS; what the user says himself comes behind it and wins. Empty where nothing is missing. Pure.
std::string added_options(const JavaStart& start, std::uint64_t max_bytes);

}  // namespace heapnice
