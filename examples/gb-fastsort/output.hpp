// SPDX-License-Identifier: MIT
// output: the file that the sorted records go to. Where it is an input, too, that is replaced when all is written; where it is no file, it is
// written as a stream.
#pragma once

#include <sys/stat.h>

#include <cstdio>
#include <string>
#include <vector>

namespace fastsort {

class Output {
 public:
  /// Looks at what is there before anything is done; what cannot be written ends the program.
  Output(const std::string& path, const std::vector<std::string>& inputs);

  /// Where the runs lie: beside it, or in $TMPDIR if it is no file.
  [[nodiscard]] const std::string& run_folder() const { return run_folder_; }

  /// Empty, to be written from its beginning. A new file may be read by nobody who may not read all inputs.
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
