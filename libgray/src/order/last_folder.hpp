// SPDX-License-Identifier: MIT
// last_folder: keeps open the folder that several successive names share, so that each file is found by the last part of its name.
//
// Lists usually come folder by folder, and most of the time for finding a file is spent on the path to its folder. Successive names are looked up in the same open folder, even
// if another folder gets its name in the meantime. Every program that reads a list of names has this race.
#pragma once

#include <cstddef>
#include <string>

namespace gray::order {

/// A name in the form of the ...at() calls. folder_fd is valid until the next call; `name` points into the path.
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

  /// Gives the shortest name of the same file. Opens the folder after several successive names in it.
  Relative find(const char* path);

 private:
  void leave();

  std::string prefix_;  // the start of the last path, up to and including its last slash
  std::size_t names_in_row_ = 0;
  int fd_ = -1;
};

}  // namespace gray::order
