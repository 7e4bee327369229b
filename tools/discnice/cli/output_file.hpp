// SPDX-License-Identifier: MIT
// output_file: a file that a run writes its findings to: found unwritable before anything runs, and emptied only when there is
// something to put in its place.
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

  /// Opens it, and leaves what is in it. Returns 0 or a negative errno. A new file that nothing was written to goes again.
  int open(const std::string& path);

  [[nodiscard]] bool is_open() const { return fd_ >= 0; }

  /// Writes all of it; the first time in the place of what was there, but behind what our own standard output or error has written to the
  /// same file. Returns 0 or a negative errno.
  int append(const void* data, std::size_t bytes);
  int append(std::string_view text) { return append(text.data(), text.size()); }

  /// Closes it, empty if nothing was written. Returns 0 or a negative errno.
  int finish();

 private:
  int begin();

  std::string path_;
  int fd_ = -1;
  bool is_new_ = false;  // made by us
  bool has_begun_ = false;
};

}  // namespace discnice::cli
