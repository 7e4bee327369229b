// SPDX-License-Identifier: MIT
// place: the directory to refresh, its sibling and the journal, by descriptors and names.
#pragma once

#include <string>
#include <vector>

#include <sys/stat.h>

#include "toolbox/base/fd.hpp"

namespace gbp::refresh_parts {

/// Everything is named relative to `parent`, so a rename of a folder further up changes nothing.
struct Workplace {
  std::string path;       // of the directory, without links
  std::string name;       // its last part
  std::string work_name;  // the sibling: first the new directory, after the exchange the old one
  std::string work_path;  // of the sibling, to tell a person
  std::string journal_name;
  std::string journal_new_name;  // a journal being written
  gray::base::ScopedFd parent;
};

/// Finds the directory. Returns one sentence on what is wrong, or an empty text.
std::string find_workplace(const std::string& directory, Workplace& place);

/// "'NAME': TEXT" with the text of the current errno, or of `error`.
std::string problem_of(const std::string& name);
std::string problem_of(const std::string& name, int error);

/// Opens a folder below `folder_fd` for reading, never through a link.
gray::base::ScopedFd open_folder(int folder_fd, const std::string& name);

/// The text of the link that stands for a folder: the folder's path from the directory while the sibling has it.
std::string stand_in(const Workplace& place, const std::string& name);

/// The names in a folder except . and .., in no order. Returns false, with errno set, on failure.
bool list_names(int folder_fd, std::vector<std::string>& names);

}  // namespace gbp::refresh_parts
