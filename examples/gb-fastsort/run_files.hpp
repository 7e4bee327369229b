// SPDX-License-Identifier: MIT
// run_files: the files of the sorted runs. The files have no names, so that no file is left when the program ends for any reason, even by
// SIGKILL.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace fastsort {

class RunFiles {
 public:
  /// Makes all files in `folder`.
  explicit RunFiles(std::string folder);

  /// Opens a new and empty file for writing and reading a run. Only its owner may open it. A failure ends the program.
  [[nodiscard]] int open_new() const;

  /// Adds a written run. When the largest number of open runs is reached, the runs that do not come from a merge are
  /// merged into one run.
  void add(int fd);

  [[nodiscard]] const std::vector<int>& fds() const { return fds_; }
  [[nodiscard]] std::string name() const { return "a run in " + folder_; }  // of each, for messages

 private:
  std::string folder_;
  std::size_t most_;
  std::size_t merged_ = 0;  // how many of the first runs a merge has made
  std::vector<int> fds_;
};

}  // namespace fastsort
