// SPDX-License-Identifier: MIT
// io_outcome: what the kernel's own account says happened since the last look.
#pragma once

#include <cstdint>

namespace discnice {

/// Disk bytes the kernel booked to a process (getrusage ru_inblock and ru_oublock, in 512-byte units there).
struct IoOutcome {
  std::uint64_t read_bytes = 0;
  std::uint64_t write_bytes = 0;
};

}  // namespace discnice
