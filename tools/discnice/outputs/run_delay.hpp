// SPDX-License-Identifier: MIT
// run_delay: reads how long this thread was ready to run but had no processor, as the kernel adds it up (/proc/thread-self/schedstat).
//
// Host-safe, like disk_counters.
#pragma once

#include <cstddef>
#include <cstdint>

namespace discnice::outputs {

/// Reads the second number of a schedstat file, in nanoseconds. False if the text has another form. Pure.
bool parse_run_delay(const char* text, std::size_t length, std::uint64_t* delay_ns);

/// Reads the present value. False if the kernel keeps none.
bool read_run_delay(std::uint64_t* delay_ns);

}  // namespace discnice::outputs
