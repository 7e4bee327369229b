// SPDX-License-Identifier: MIT
// java_flags: reads from a running JVM which collector it has, and which flags can change its heap while it runs.
#pragma once

#include <cstdint>
#include <string_view>

namespace heapnice {

enum class Collector { unknown, serial, parallel, g1, z, shenandoah };

struct JavaFlags {
  Collector collector = Collector::unknown;
  std::uint64_t max_heap_bytes = 0;
  double old_share = 1;  // share of the old generation in the heap, if generations are sized separately
  bool is_soft_max_manageable = false;
  bool are_ratios_manageable = false;  // MinHeapFreeRatio and MaxHeapFreeRatio
  bool is_explicit_disabled = false;   // -XX:+DisableExplicitGC
};

/// Reads the text of VM.flags -all. Pure.
JavaFlags parse_flags(std::string_view text);

/// The common name of a collector, for instance "G1".
const char* name_of(Collector collector);

}  // namespace heapnice
