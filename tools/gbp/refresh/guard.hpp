// SPDX-License-Identifier: MIT
// guard: holds read leases on the files of a directory, so that no process writes to them unnoticed while the directory is replaced.
//
// Knowledge assumed: the kernel grants a read lease only on a file that no process has open or mapped for writing. A process that opens the file for writing later waits until
// the lease is given back. Output observed: refused leases, and leases that the kernel wants back. Inferred: whether there is or was a writer. What breaks it:
// file systems without leases; there take() refuses.
#pragma once

#include <string>
#include <vector>

#include "toolbox/base/fd.hpp"
#include "tools/gbp/refresh/survey.hpp"

namespace gbp::refresh_parts {

class Guard {
 public:
  /// Opens all regular files and takes the leases. Returns what prevents that, or an empty text.
  std::string take(int folder_fd, const std::vector<Entry>& entries);

  /// Checks whether a process has wanted to write since then. Returns a sentence about it, or an empty text.
  [[nodiscard]] std::string find_writer() const;

  /// The open file of an entry, by its place in the vector; -1 for an entry that is no regular file.
  [[nodiscard]] int file(std::size_t index) const { return files_[index].get(); }

 private:
  const std::vector<Entry>* entries_ = nullptr;
  std::vector<gray::base::ScopedFd> files_;
};

}  // namespace gbp::refresh_parts
