// SPDX-License-Identifier: MIT
// output: the file for the sorted records. If the output is also an input, it is replaced when all records are written. If it is no regular
// file, it is written as a stream.
#pragma once

#include <sys/stat.h>

#include <cstdio>
#include <string>
#include <vector>

namespace fastsort {

class Output {
 public:
  /// Checks the output before any work is done. An output that cannot be written ends the program.
  Output(const std::string& path, const std::vector<std::string>& inputs);

  /// The folder of the runs: the folder of the output, or $TMPDIR if the output is no regular file.
  [[nodiscard]] const std::string& run_folder() const { return run_folder_; }

  /// Opens the output, empty. A new output can be read only by users who may read all inputs.
  std::FILE* begin();
  void end();

 private:
  [[nodiscard]] mode_t permitted_mode() const;
  void replace();

  std::string name_;  // as it was given
  std::string path_;
  std::string run_folder_;
  std::vector<struct stat> inputs_;
  struct stat before_ {};
  bool is_replacing_ = false;
  int fd_ = -1;
  std::FILE* file_ = nullptr;
};

}  // namespace fastsort
