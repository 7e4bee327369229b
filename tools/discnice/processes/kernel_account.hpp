// SPDX-License-Identifier: MIT
// kernel_account: the kernel's own count of the disk bytes of a process and of those children that it has waited for.
#pragma once

#include <cstdint>
#include <optional>

#include <sys/types.h>

namespace discnice::processes {

/// From /proc/<pid>/io. `cancelled_write_bytes` were booked as written, but the data was removed before it reached the disk.
struct KernelAccount {
  std::uint64_t read_bytes = 0;
  std::uint64_t write_bytes = 0;
  std::uint64_t cancelled_write_bytes = 0;
  // How many bytes system calls read and wrote, from and to anything: files, pipes, memory. Page faults are not included.
  std::uint64_t called_read_bytes = 0;
  std::uint64_t called_write_bytes = 0;

  /// How many bytes reached the disk, or will reach it.
  [[nodiscard]] std::uint64_t net_write_bytes() const {
    return write_bytes > cancelled_write_bytes ? write_bytes - cancelled_write_bytes : 0;
  }
};

/// The account of a running process, including the children that it has waited for. Empty if the kernel keeps no account or refuses.
std::optional<KernelAccount> account_of(pid_t pid);

/// The same without any children: the sum over its present threads.
std::optional<KernelAccount> own_account_of(pid_t pid);

/// Adds each figure.
KernelAccount& operator+=(KernelAccount& sum, const KernelAccount& more);

/// The account of one process, opened while it runs. When a process has ended, the file belongs to root, and an ordinary user could not open it any more. But an open file can
/// still be read until the process is waited for.
class KernelAccountFile {
 public:
  /// Takes ownership of a descriptor of the process's /proc/self/io, or of a negative number.
  explicit KernelAccountFile(int fd) : fd_(fd) {}
  ~KernelAccountFile();
  KernelAccountFile(const KernelAccountFile&) = delete;
  KernelAccountFile& operator=(const KernelAccountFile&) = delete;

  /// Reads the present account. Empty if the kernel keeps none or refuses.
  [[nodiscard]] std::optional<KernelAccount> read() const;

 private:
  int fd_;
};

}  // namespace discnice::processes
