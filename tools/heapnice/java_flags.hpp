// SPDX-License-Identifier: MIT
// java_flags: what a running JVM says about itself: its collector, and the flags by which its heap size can be changed while it runs.
#pragma once

#include <cstdint>
#include <string_view>

namespace heapnice {

enum class Collector { unknown, serial, parallel, g1, z, shenandoah };

struct JavaFlags {
  Collector collector = Collector::unknown;
  std::uint64_t max_heap_bytes = 0;
  double old_share = 1;  // of the heap, where a generation is sized by itself
  bool is_soft_max_manageable = false;
  bool are_ratios_manageable = false;  // MinHeapFreeRatio and MaxHeapFreeRatio
  bool is_explicit_disabled = false;   // -XX:+DisableExplicitGC
};

/// Reads the text of VM.flags -all. Pure.
JavaFlags parse_flags(std::string_view text);

/// The usual name of the collector, such as "G1".
const char* name_of(Collector collector);

}  // namespace heapnice
