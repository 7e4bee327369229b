// SPDX-License-Identifier: MIT
// place: the directory to refresh, the sibling in which the new directory is built, and the journal, by descriptors and names.
#pragma once

#include <string>
#include <vector>

#include <sys/stat.h>

#include "toolbox/base/fd.hpp"

namespace gbp::refresh_parts {

/// All names are relative to `parent`, so that renaming a folder further up has no effect.
struct Workplace {
  std::string path;  // path of the directory, without links
  std::string name;  // its last part
  // Name of the sibling: first the new directory, after the exchange the old directory.
  std::string work_name;
  std::string work_path;  // path of the sibling, for messages
  std::string journal_name;
  std::string journal_new_name;  // a journal being written
  gray::base::ScopedFd parent;
};

/// Finds the workplace of a directory. Returns one sentence that says what is wrong, or an empty text.
std::string find_workplace(const std::string& directory, Workplace& place);

/// "'NAME': TEXT" with the text of the current errno, or of `error`.
std::string problem_of(const std::string& name);
std::string problem_of(const std::string& name, int error);

/// Opens a folder below `folder_fd` for reading, never through a link.
gray::base::ScopedFd open_folder(int folder_fd, const std::string& name);

/// The target of the link that represents a folder: the folder's path from the directory while the folder is in the sibling.
std::string stand_in(const Workplace& place, const std::string& name);

/// The names in a folder except . and .., in no order. Returns false with errno set.
bool list_names(int folder_fd, std::vector<std::string>& names);

}  // namespace gbp::refresh_parts
