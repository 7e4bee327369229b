// SPDX-License-Identifier: MIT
// kernel_account: the kernel's own count of what a process and its waited-for children made the disk do.
#pragma once

#include <cstdint>
#include <optional>

#include <sys/types.h>

namespace discnice::processes {

/// From /proc/<pid>/io. `cancelled_write_bytes` were booked as written but removed before they reached the
/// disk.
struct KernelAccount {
  std::uint64_t read_bytes = 0;
  std::uint64_t write_bytes = 0;
  std::uint64_t cancelled_write_bytes = 0;
  // What system calls read and wrote, whatever it was: files, pipes, memory. Page faults are not among it.
  std::uint64_t called_read_bytes = 0;
  std::uint64_t called_write_bytes = 0;

  /// What reached, or will reach, the disk.
  [[nodiscard]] std::uint64_t net_write_bytes() const {
    return write_bytes > cancelled_write_bytes ? write_bytes - cancelled_write_bytes : 0;
  }
};

/// The account of a process that is there now, with those of the children it has waited for. Nothing when the kernel keeps none or refuses.
std::optional<KernelAccount> account_of(pid_t pid);

/// The same without any children: the sum over the threads it has now.
std::optional<KernelAccount> own_account_of(pid_t pid);

/// Adds each figure.
KernelAccount& operator+=(KernelAccount& sum, const KernelAccount& more);

/// The account of one process, opened while it runs: of a process that has ended the file belongs to root and
/// an ordinary user could no longer open it, but what is open can still be read until the process is reaped.
class KernelAccountFile {
 public:
  /// Takes a descriptor of the process's /proc/self/io, or a negative number.
  explicit KernelAccountFile(int fd) : fd_(fd) {}
  ~KernelAccountFile();
  KernelAccountFile(const KernelAccountFile&) = delete;
  KernelAccountFile& operator=(const KernelAccountFile&) = delete;

  /// Reads the account as it is now. Nothing when the kernel keeps none or refuses.
  [[nodiscard]] std::optional<KernelAccount> read() const;

 private:
  int fd_;
};

}  // namespace discnice::processes
