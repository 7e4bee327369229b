// SPDX-License-Identifier: MIT
// java_counters: what a JVM counts of its heap, out of the file that jstat reads.
//
// Knowledge assumed: HotSpot maps a file hsperfdata_USER/PID into itself and keeps its counters there: a head, then entries with a name and a
// number each. Generations have a capacity, their spaces a use, each collector a count and a time.
// Output observed: that file, copied; it may be another one, cut short or half written at any time, and nothing in it is believed beyond its own bounds.
// Inference drawn: how much the heap has of the kernel, what of it is used, what collecting took.
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

/// Nothing if the text is no such file, or the JVM has not begun yet. Pure; any bytes will do.
std::optional<JavaHeap> parse_counters(std::string_view bytes);

/// Whether the JVM says that it takes orders by its socket (jvmCapabilities, by which jps knows it, too). One that does not would answer
/// the signal that asks for the socket by a thread dump in its output. Pure; any bytes will do.
bool does_take_orders(std::string_view bytes);

/// The file of that process, as it sees it, below /proc/PID/root; empty where it maps none. `maps` is the text of /proc/PID/maps. The file is named by
/// the number by which the process knows itself: one of another name is somebody else's that it looks at, as jstat does. Pure.
std::string counters_path(std::string_view maps, int pid, std::string_view own_number);

/// Copies the file, if it is a plain one, of this user and no larger than any JVM makes it. Empty otherwise.
std::string read_counters(const std::string& path);

}  // namespace heapnice
