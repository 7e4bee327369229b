// SPDX-License-Identifier: MIT
// io_pressure: the total time in which at least one task on this host waited for a disk, by the kernel's account (PSI).
//
// Safe inside the program that loads the library: the code makes raw system calls, uses no heap, and leaves no descriptor open.
#pragma once

#include <cstddef>
#include <cstdint>

namespace discnice::outputs {

/// Reads the total of the line "some" of /proc/pressure/io, in nanoseconds. Returns false when the text has another form. Pure.
bool parse_io_pressure(const char* text, std::size_t length, std::uint64_t* stalled_ns);

/// Reads the present total. Returns false when the kernel keeps no account of pressure.
bool read_io_pressure(std::uint64_t* stalled_ns);

}  // namespace discnice::outputs
