// SPDX-License-Identifier: MIT
// spool: output that waits for its turn, in a file without a name.
#pragma once

#include <cstdint>
#include <string>

namespace gb_grep {

/// $TMPDIR, or else /tmp.
std::string temporary_folder();

/// The process with the descriptor writes at the end of the file.
class Spool {
 public:
  /// Takes ownership of a descriptor that appends; -1 means none.
  explicit Spool(int fd) : fd_(fd) {}
  ~Spool();
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  [[nodiscard]] int fd() const { return fd_; }
  [[nodiscard]] std::uint64_t bytes() const;
  [[nodiscard]] std::string text(std::uint64_t begin, std::uint64_t end) const;

  /// Writes the bytes between the two places to another descriptor. Returns 0 or a negative errno.
  [[nodiscard]] int copy(std::uint64_t begin, std::uint64_t end, int to_fd) const;

  /// Discards the content, which is not needed any more.
  void clear() const;

 private:
  int fd_;
};

/// Descriptors for a Spool: of a file in that folder, and of a file in memory. -1 if that fails.
int make_temporary_file(const std::string& folder);
int make_memory_file();

/// Writes all of it; 0 or a negative errno.
[[nodiscard]] int write_all(int fd, const char* data, std::size_t length);

}  // namespace gb_grep
