// SPDX-License-Identifier: MIT
// java_counters: reads the counters of a JVM's heap from the file that jstat reads.
//
// Knowledge assumed: HotSpot maps a file hsperfdata_USER/PID into itself and keeps its counters there: a head, then entries with a name and a
// number each. Generations have a capacity, their spaces a use, each collector a count and a time.
// Output observed: a copy of that file. It may be another file, truncated or half written at any time. Nothing in it is believed beyond its bounds.
// Inference drawn: how much memory the heap has from the kernel, how much of it is used, and how long collections took.
// What breaks it: a JVM that keeps no such file (-XX:-UsePerfData, OpenJ9, a native image), and a collector that counts nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace heapnice {

struct JavaHeap {
  std::uint64_t committed_bytes = 0;  // of all generations
  std::uint64_t used_bytes = 0;
  std::uint64_t old_committed_bytes = 0;  // of the one that is collected last
  std::uint64_t old_used_bytes = 0;
  std::uint64_t collections = 0;  // that have ended
  std::uint64_t full_collections = 0;
  std::uint64_t collecting_ns = 0;  // since the JVM began
};

/// Returns nothing if the text is not such a file, or if the JVM has not begun yet. Pure; `bytes` may be any bytes.
std::optional<JavaHeap> parse_counters(std::string_view bytes);

/// Returns the path, below /proc/PID/root, of the counters file that the process maps. Returns an empty string if the process maps no such file. `maps` is the text of
/// /proc/PID/maps. Pure.
std::string counters_path(std::string_view maps, int pid);

/// Reads the file if it is a regular file of this user, and no larger than any JVM makes it. Otherwise returns an empty string.
std::string read_counters(const std::string& path);

}  // namespace heapnice
