// SPDX-License-Identifier: MIT
// guard: holds read leases on the files of a directory, so that every write to them is noticed while the directory is replaced.
//
// Knowledge assumed: the kernel grants a read lease only on a file that nobody has open, or mapped, for writing, and holds
// up whoever opens it for writing later until the lease is given back. Output observed: refusals, and leases that have been
// asked back. Inferred: whether a writer is or was there. What breaks it: file systems without leases, where it refuses.
#pragma once

#include <string>
#include <vector>

#include "toolbox/base/fd.hpp"
#include "tools/gbp/refresh/survey.hpp"

namespace gbp::refresh_parts {

class Guard {
 public:
  /// Opens all regular files and takes the leases. Returns what prevents it, or an empty text.
  std::string take(int folder_fd, const std::vector<Entry>& entries);

  /// Whether no process has wanted to write since. Returns what prevents the refresh, or an empty text.
  [[nodiscard]] std::string find_writer() const;

  /// The open file of an entry, by its index in the vector; -1 if the entry is not a file.
  [[nodiscard]] int file(std::size_t index) const { return files_[index].get(); }

 private:
  const std::vector<Entry>* entries_ = nullptr;
  std::vector<gray::base::ScopedFd> files_;
};

}  // namespace gbp::refresh_parts
