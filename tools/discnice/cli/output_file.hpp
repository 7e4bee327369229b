// SPDX-License-Identifier: MIT
// output_file: a file for the results of a run. The file is opened before the program runs, so that an unwritable file is found at once. The file is
// emptied only when there is something new to write.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace discnice::cli {

class OutputFile {
 public:
  OutputFile() = default;
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Opens the file without changing its content. Returns 0 or a negative errno. A new file to which nothing is written is removed
  /// again.
  int open(const std::string& path);

  [[nodiscard]] bool is_open() const { return fd_ >= 0; }

  /// Writes all of the data. The first call replaces the content of the file. But if the standard output or error of this process is the same file,
  /// the data is added behind that output. Returns 0 or a negative errno.
  int append(const void* data, std::size_t bytes);
  int append(std::string_view text) { return append(text.data(), text.size()); }

  /// Closes the file, which is empty if nothing was written. Returns 0 or a negative errno.
  int finish();

 private:
  int begin();

  std::string path_;
  int fd_ = -1;
  bool is_new_ = false;  // open() has made the file
  bool has_begun_ = false;
};

}  // namespace discnice::cli
