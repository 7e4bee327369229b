// SPDX-License-Identifier: MIT
// kernel_account: the kernel's own count of what a process and its waited-for children made the disk do.
#pragma once

#include <cstdint>
#include <optional>

#include <sys/types.h>

namespace discnice::cli {

/// From /proc/<pid>/io. `cancelled_write_bytes` were booked as written but removed before they reached the
/// disk.
struct KernelAccount {
  std::uint64_t read_bytes = 0;
  std::uint64_t write_bytes = 0;
  std::uint64_t cancelled_write_bytes = 0;

  /// What reached, or will reach, the disk.
  [[nodiscard]] std::uint64_t net_write_bytes() const {
    return write_bytes > cancelled_write_bytes ? write_bytes - cancelled_write_bytes : 0;
  }
};

/// Reads the account of a process; it may have ended but must not have been reaped. Nothing when the kernel
/// keeps none or refuses.
std::optional<KernelAccount> read_kernel_account(pid_t pid);

}  // namespace discnice::cli
