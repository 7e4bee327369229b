// SPDX-License-Identifier: MIT
// kernel_account: the kernel's own count of the disk work of a process and of the children it has waited for.
#pragma once

#include <cstdint>
#include <optional>

#include <sys/types.h>

namespace discnice::processes {

/// The content of /proc/<pid>/io. `cancelled_write_bytes` were counted as written but removed before they reached the disk.
struct KernelAccount {
  std::uint64_t read_bytes = 0;
  std::uint64_t write_bytes = 0;
  std::uint64_t cancelled_write_bytes = 0;
  // The bytes that system calls read and wrote, in files, pipes and memory. Page faults are not included.
  std::uint64_t called_read_bytes = 0;
  std::uint64_t called_write_bytes = 0;

  /// The bytes that have reached the disk or will reach it.
  [[nodiscard]] std::uint64_t net_write_bytes() const {
    return write_bytes > cancelled_write_bytes ? write_bytes - cancelled_write_bytes : 0;
  }
};

/// The account of a running process, including the children that it has waited for. Empty when the kernel keeps no account or refuses to show it.
std::optional<KernelAccount> account_of(pid_t pid);

/// Same as account_of(), without children: the sum over the threads that the process has now.
std::optional<KernelAccount> own_account_of(pid_t pid);

/// Adds each figure.
KernelAccount& operator+=(KernelAccount& sum, const KernelAccount& more);

/// The account of one process, opened while the process runs. After the end of a process the file belongs to root, and an ordinary user can no longer open it. But
/// an open file can be read until the process is reaped.
class KernelAccountFile {
 public:
  /// Takes ownership of a descriptor of the process's /proc/self/io, or of a negative number.
  explicit KernelAccountFile(int fd) : fd_(fd) {}
  ~KernelAccountFile();
  KernelAccountFile(const KernelAccountFile&) = delete;
  KernelAccountFile& operator=(const KernelAccountFile&) = delete;

  /// Reads the account. Empty when the kernel keeps no account or refuses to show it.
  [[nodiscard]] std::optional<KernelAccount> read() const;

 private:
  int fd_;
};

}  // namespace discnice::processes
