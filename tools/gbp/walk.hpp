// SPDX-License-Identifier: MIT
// walk: the files below folders, the folders themselves taken in the order in which they lie.
#pragma once

#include <string>
#include <vector>

#include "tools/gbp/names.hpp"

namespace gbp {

struct WalkOptions {
  bool is_one_file_system = false;
  std::vector<std::string> include_globs;  // of the last part of a file's name; empty: all
  std::vector<std::string>
      exclude_globs;  // of the last part of a file's or folder's name, or of the whole path
};

/// Replaces each folder among `given` by the regular files below it; other names stay, whatever they are, and unfiltered.
/// Follows a link that was given, none that was found, so there is no loop to fall into. Folders of one depth are read
/// in the order of their i-numbers. What can't be read is said on stderr and makes `has_failed` true.
Names walk(const Names& given, const WalkOptions& options, bool& has_failed);

}  // namespace gbp
