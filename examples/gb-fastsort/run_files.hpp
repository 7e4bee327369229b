// SPDX-License-Identifier: MIT
// run_files: the files of the sorted runs. They have no names, so that nothing is left of them whatever ends the program, be it a SIGKILL.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace fastsort {

class RunFiles {
 public:
  /// In this folder.
  explicit RunFiles(std::string folder);

  /// A new and empty file, to write a run into and to read it again; nobody but its owner may. What fails ends the program.
  [[nodiscard]] int open_new() const;

  /// Takes a run that is written. Where as many are open as may be at once, those that no merge has made become one.
  void add(int fd);

  [[nodiscard]] const std::vector<int>& fds() const { return fds_; }
  [[nodiscard]] std::string name() const { return "a run in " + folder_; }  // of each, for messages

 private:
  std::string folder_;
  std::size_t most_;
  std::size_t merged_ = 0;  // so many of the first ones were made by a merge
  std::vector<int> fds_;
};

}  // namespace fastsort
