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

/// The account of one process, opened while it lives: once it has ended its file belongs to root, and an
/// ordinary user could not open it any more, but may still read it.
class KernelAccountFile {
 public:
  /// Opens the account of a living process of ours.
  explicit KernelAccountFile(pid_t pid);
  ~KernelAccountFile();
  KernelAccountFile(const KernelAccountFile&) = delete;
  KernelAccountFile& operator=(const KernelAccountFile&) = delete;

  /// Reads it; the process may have ended but must not have been reaped. Nothing when the kernel keeps no
  /// account or refuses.
  [[nodiscard]] std::optional<KernelAccount> read() const;

 private:
  int fd_;
};

}  // namespace discnice::cli
