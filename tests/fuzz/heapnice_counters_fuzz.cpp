// SPDX-License-Identifier: MIT
// heapnice_counters_fuzz: reads the counters of a JVM, its list of flags and its maps from random bytes.
// fuzz-links: heapnice_core
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tools/heapnice/java_counters.hpp"
#include "tools/heapnice/java_flags.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  heapnice::parse_counters(bytes);
  heapnice::parse_flags(bytes);
  heapnice::does_take_orders(bytes);
  heapnice::counters_path(bytes, 1, "1");
  return 0;
}
