// SPDX-License-Identifier: MIT
// last_folder: keeps the folder of several names in a row open, so that each file is found by the last part of its name.
//
// Lists come folder by folder, and most of the time to find a file goes into the way to its folder. Names that stand side by side are so looked up in one
// folder, even if another folder takes its name meanwhile. Any list of names has that race.
#pragma once

#include <cstddef>
#include <string>

namespace gray::order {

/// A name in the form of the ...at() calls. Both parts are borrowed: the folder until the next question, the name from the path.
struct Relative {
  int folder_fd;  // or AT_FDCWD
  const char* name;
};

/// One thread at a time.
class LastFolder {
 public:
  LastFolder() = default;
  ~LastFolder() { leave(); }
  LastFolder(const LastFolder&) = delete;
  LastFolder& operator=(const LastFolder&) = delete;

  /// The same file by the shortest way. Opens the folder after a few names in a row were in it.
  Relative find(const char* path);

 private:
  void leave();

  std::string prefix_;  // of the path asked for last, up to and with its last slash
  std::size_t names_in_row_ = 0;
  int fd_ = -1;
};

}  // namespace gray::order
