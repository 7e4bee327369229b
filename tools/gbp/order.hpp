// SPDX-License-Identifier: MIT
// order: the order in which files are best read. Pure.
#pragma once

#include <vector>

#include "tools/gbp/cost.hpp"

namespace gbp {

enum class Mode {
  mem,      // most cached first
  file,     // as they lie on disk
  compose,  // the cached ones first, each group as it lies on disk
};

/// A file counts as cached, for `compose`, from this share on: reading it first then saves more than it
/// costs.
inline constexpr double kCachedFractionMin = 0.5;

/// For `mem`, shares are told apart in this many steps.
inline constexpr int kCachedSteps = 32;

/// Whether reading the file first saves what is cached of it.
bool is_cached(const File& file);

/// Sorts in place. Ties keep the input's order; files of unknown content come behind the known ones (the
/// paper: what is too small to probe is given a high time), files that could not be looked at come last.
/// On devices where no order pays (File::order) the layout is a tie. `is_by_directory`: the layout is the directory, as
/// the paper's comparison has it: files of one folder together, folders in the order in which they first appear.
void sort_files(std::vector<File>& files, Mode mode, bool is_by_directory = false);

}  // namespace gbp
