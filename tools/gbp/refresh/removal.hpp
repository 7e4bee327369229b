// SPDX-License-Identifier: MIT
// removal: removes a name of the sibling so that no data is lost, whatever other programs do to the file meanwhile.
//
// Knowledge assumed: the kernel grants a read lease only on a file that nobody has open for writing, and tells later when
// somebody wanted to; a file is found by its name only. Output observed: the lease, and everything about the file, before and
// after it got a name that nobody looks for. Inferred: what has not changed until then is reached by nobody any more.
// What breaks it: a process that has looked the file up by its old name, and in the same microsecond has not opened it yet.
#pragma once

#include <string>

#include <sys/stat.h>

#include "tools/gbp/refresh/records.hpp"

namespace gbp::refresh_parts {

/// Whether a removal gave a file this name. Such a name is left if the program was killed during a removal that could be neither finished nor undone.
bool is_name_of_removal(const std::string& name);

class Removal {
 public:
  /// Both must outlive this object.
  Removal(int folder_fd, Records& records) : folder_(folder_fd), records_(records) {}

  /// Removes `name` for the entry with this index, if the file is still as it was `seen`. If it is not, or if a process has it open for writing, returns false and changes
  /// nothing.
  bool remove(const std::string& name, std::size_t entry, const struct stat& seen);

  /// Finishes removals that a killed process had begun. False if one could be neither finished nor undone.
  bool end_begun();

 private:
  bool remove_file(const std::string& name, std::size_t entry, const struct stat& seen);
  bool remove_other(const std::string& name, std::size_t entry, const struct stat& seen);
  bool end_one(const std::string& doomed, const Recorded& entry);

  int folder_;
  Records& records_;
};

}  // namespace gbp::refresh_parts
