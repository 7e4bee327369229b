// SPDX-License-Identifier: MIT
// walk: finds the files below folders. The folders are read in the order in which they lie on disk.
#pragma once

#include <string>
#include <vector>

#include "tools/gbp/names.hpp"

namespace gbp {

struct WalkOptions {
  bool is_one_file_system = false;
  std::vector<std::string> include_globs;  // match the last part of a file's name; empty: all files
  std::vector<std::string>
      exclude_globs;  // match the last part of a file's or folder's name, or the whole path
};

/// Replaces each folder among `given` by the regular files below it; other names stay unchanged and unfiltered. A symbolic link is followed if it was given, but not if it was
/// found, so there can be no loop. Folders of one depth are read in the order of their i-numbers. A folder that cannot be read is reported on stderr, and sets `has_failed`.
Names walk(const Names& given, const WalkOptions& options, bool& has_failed);

}  // namespace gbp
