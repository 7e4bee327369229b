// SPDX-License-Identifier: MIT
// removal: removes a name of the sibling so that no data is lost, even when other programs use the file at the same time.
//
// Knowledge assumed: the kernel grants a read lease only on a file that no process has open for writing, and tells later if a process wanted to write. A file is found only by
// its name. Output observed: the lease, and all attributes of the file before and after it gets a name that no other program uses. Inferred: a file that has not changed by then
// can no longer be reached by another program. What breaks it: a program that has looked up the old name, but has not opened the file yet in the same microsecond.
#pragma once

#include <string>

#include <sys/stat.h>

#include "tools/gbp/refresh/records.hpp"

namespace gbp::refresh_parts {

/// Whether a removal gave a file this name. Such a name is left if the removal was killed, and could be neither completed nor undone.
bool is_name_of_removal(const std::string& name);

class Removal {
 public:
  /// Folder and records must outlive this object.
  Removal(int folder_fd, Records& records) : folder_(folder_fd), records_(records) {}

  /// Removes `name`, which belongs to the entry at this place, if its status is still `seen`. Otherwise, or if a process has it open for writing, returns false and changes
  /// nothing.
  bool remove(const std::string& name, std::size_t entry, const struct stat& seen);

  /// Completes the removals that a killed process had begun. False if a removal could be neither completed nor undone.
  bool end_begun();

 private:
  bool remove_file(const std::string& name, std::size_t entry, const struct stat& seen);
  bool remove_other(const std::string& name, std::size_t entry, const struct stat& seen);
  bool end_one(const std::string& doomed, const Recorded& entry);

  int folder_;
  Records& records_;
};

}  // namespace gbp::refresh_parts
