// SPDX-License-Identifier: MIT
// run_delay: for how long this thread could run and had no processor, as the kernel adds it up (/proc/thread-self/schedstat).
//
// Host-safe, like disk_counters.
#pragma once

#include <cstddef>
#include <cstdint>

namespace discnice::outputs {

/// Reads the second number of a schedstat file, in nanoseconds. False when the text is not that. Pure.
bool parse_run_delay(const char* text, std::size_t length, std::uint64_t* delay_ns);

/// Reads it now. False where the kernel keeps none.
bool read_run_delay(std::uint64_t* delay_ns);

}  // namespace discnice::outputs
