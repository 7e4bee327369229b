// SPDX-License-Identifier: MIT
// run_delay: the total time in which this thread was ready to run and had no processor, by the kernel's account
// (/proc/thread-self/schedstat).
//
// Safe inside the program that loads the library: the code makes raw system calls, uses no heap, and leaves no descriptor open.
#pragma once

#include <cstddef>
#include <cstdint>

namespace discnice::outputs {

/// Reads the second number of a schedstat file, in nanoseconds. Returns false when the text has another form. Pure.
bool parse_run_delay(const char* text, std::size_t length, std::uint64_t* delay_ns);

/// Reads the present time. Returns false when the kernel keeps no such account.
bool read_run_delay(std::uint64_t* delay_ns);

}  // namespace discnice::outputs
