// SPDX-License-Identifier: MIT
// run_delay: how long this thread was ready to run and had no processor, as the kernel adds it up (/proc/thread-self/schedstat).
//
// Safe inside the program that loads the library: raw system calls, no heap, and no descriptor stays open.
#pragma once

#include <cstddef>
#include <cstdint>

namespace discnice::outputs {

/// Reads the second number of a schedstat file, in nanoseconds. Returns false when the text has another form. Pure.
bool parse_run_delay(const char* text, std::size_t length, std::uint64_t* delay_ns);

/// Reads the present time. Returns false when the kernel keeps no such account.
bool read_run_delay(std::uint64_t* delay_ns);

}  // namespace discnice::outputs
