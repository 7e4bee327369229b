// SPDX-License-Identifier: MIT
// tree: finds the files that grep would search, in the order in which grep would come to them.
//
// Knowledge assumed: grep walks depth first, and takes the entries of a folder as the kernel lists them; of a folder with more than ten thousand it sorts
// them by i-number first, unless the file system is in memory or on a server (fts of gnulib, since 2008). It searches regular files; with -R also
// those that links lead to, and devices and pipes. That order is what --sorted restores.
// What breaks it: a grep with another walk. Then --sorted prints the same lines with the files in the order that is said here.
#pragma once

#include "tools/gb-grep/command_line.hpp"
#include "tools/gbp/names.hpp"

namespace gb_grep {

/// The files of the command line but for those that globs leave out. With -r or -R the files below stand for a folder, the current one where none is given; one that can't be read stays: grep says
/// why. A link that leads back up is said on stderr in grep's words.
gbp::Names find_files(const CommandLine& line);

}  // namespace gb_grep
