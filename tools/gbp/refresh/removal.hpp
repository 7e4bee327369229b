// SPDX-License-Identifier: MIT
// removal: removes a name of the sibling so that nothing is lost with it, whatever somebody does to it meanwhile.
//
// Knowledge assumed: the kernel grants a read lease only on a file that nobody has open for writing, and tells later when
// somebody wanted to; a file is found by its name only. Output observed: the lease, and everything about the file, before and
// after it got a name that nobody looks for. Inferred: what has not changed until then is reached by nobody any more.
// What breaks it: somebody who had found the file by its old name, and in the same microsecond has not opened it yet.
#pragma once

#include <string>

#include <sys/stat.h>

#include "tools/gbp/refresh/records.hpp"

namespace gbp::refresh_parts {

/// Whether a removal gave a file this name: it is left where one was killed and could be neither ended nor taken back.
bool is_name_of_removal(const std::string& name);

class Removal {
 public:
  /// Both must outlive it.
  Removal(int folder_fd, Records& records) : folder_(folder_fd), records_(records) {}

  /// Removes `name`, on behalf of the entry at this place, if it is still what was `seen` of it. False, and all is as it
  /// was, where it is not, or where somebody has it open for writing.
  bool remove(const std::string& name, std::size_t entry, const struct stat& seen);

  /// Ends the removals that a killed one had begun. False where one could not be ended and not be taken back.
  bool end_begun();

 private:
  bool remove_file(const std::string& name, std::size_t entry, const struct stat& seen);
  bool remove_other(const std::string& name, std::size_t entry, const struct stat& seen);
  bool end_one(const std::string& doomed, const Recorded& entry);

  int folder_;
  Records& records_;
};

}  // namespace gbp::refresh_parts
