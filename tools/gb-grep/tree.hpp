// SPDX-License-Identifier: MIT
// tree: finds the files that grep would search, in the order in which grep would reach them.
//
// Knowledge assumed: grep walks depth first, and takes the entries of a folder as the kernel lists them. In a folder with more than ten thousand entries it first sorts them by
// i-number, unless the file system is in memory or on a server (fts of gnulib, since 2008). grep searches regular files; with -R also the targets of links,
// devices and pipes. --sorted restores that order.
// What breaks it: a grep that walks in another order. Then --sorted prints the same lines, with the files in the order described here.
#pragma once

#include "tools/gb-grep/command_line.hpp"
#include "tools/gbp/names.hpp"

namespace gb_grep {

/// The files of the command line, without the files that globs exclude. With -r or -R each folder is replaced by the files below it; without a name it is the
/// current folder. A folder that cannot be read stays in the list, so that grep reports the reason. A link that leads back to a folder above is reported on
/// stderr in grep's words.
gbp::Names find_files(const CommandLine& line);

}  // namespace gb_grep
