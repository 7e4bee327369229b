// SPDX-License-Identifier: MIT
// io_pressure: reads how long processes of this host have waited for its disks, as the kernel adds it up (PSI).
//
// Host-safe, like disk_counters.
#pragma once

#include <cstddef>
#include <cstdint>

namespace discnice::outputs {

/// Reads the total in the line "some" of /proc/pressure/io, in nanoseconds. False if the text has another form. Pure.
bool parse_io_pressure(const char* text, std::size_t length, std::uint64_t* stalled_ns);

/// Reads the present value. False if the kernel keeps no account of pressure.
bool read_io_pressure(std::uint64_t* stalled_ns);

}  // namespace discnice::outputs
