// SPDX-License-Identifier: MIT
// java_counters: reads a JVM's counters of its heap from the file that jstat reads.
//
// Knowledge assumed: HotSpot maps a file hsperfdata_USER/PID into itself and keeps its counters there: a head, then entries with a name and a number each. Each generation has a
// capacity, each of its spaces has a use, and each collector has a count and a time.
// Output observed: a copy of that file. The file may be replaced, cut short or half written at any time, so every value is checked against the file's own bounds.
// Inference drawn: how much memory the heap has from the kernel, how much of it is used, and the time spent collecting.
// What breaks it: a JVM that keeps no such file (-XX:-UsePerfData, OpenJ9, a native image), and a collector that counts nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace heapnice {

struct JavaHeap {
  std::uint64_t committed_bytes = 0;  // memory of all generations
  std::uint64_t used_bytes = 0;
  std::uint64_t old_committed_bytes = 0;  // memory of the generation that is collected last
  std::uint64_t old_used_bytes = 0;
  std::uint64_t collections = 0;  // collections that have ended
  std::uint64_t full_collections = 0;
  std::uint64_t collecting_ns = 0;  // time spent collecting since the JVM began
};

/// No value if the text is no such file, or if the JVM has not started yet. Any bytes are safe as input. Pure.
std::optional<JavaHeap> parse_counters(std::string_view bytes);

/// Whether the JVM says that it takes orders by its socket (jvmCapabilities, which jps also reads). The signal SIGQUIT asks a
/// JVM for the socket. A JVM that takes no orders would print a thread dump at this signal. Pure. Any bytes are safe as input.
bool does_take_orders(std::string_view bytes);

/// The path of the process's counters file, below /proc/PID/root; empty when the process maps no such file. `maps` is the text of /proc/PID/maps. The
/// name of the file is the process's number in its own PID namespace. A mapped file with another number belongs to another JVM that this process
/// observes, as jstat does. Pure.
std::string counters_path(std::string_view maps, int pid, std::string_view own_number);

/// Copies the file if it is a regular file of this user, and no larger than a JVM makes it. Otherwise the result is empty.
std::string read_counters(const std::string& path);

}  // namespace heapnice
