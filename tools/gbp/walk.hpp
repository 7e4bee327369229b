// SPDX-License-Identifier: MIT
// walk: finds the files below folders. The folders are read in the order in which they lie on disk.
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

/// Replaces each folder in `given` by the regular files below it. Other names stay unchanged and are not filtered. A link that was given is followed; a link that was found is
/// not, so there are no loops. Folders of one depth are read in the order of their i-numbers. A folder that can't be read is reported on stderr and sets `has_failed`.
Names walk(const Names& given, const WalkOptions& options, bool& has_failed);

}  // namespace gbp
