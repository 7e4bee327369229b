// SPDX-License-Identifier: MIT
// unsort: sorts the lines that a program printed about files back into the order in which the files were given.
#pragma once

#include <istream>
#include <ostream>

#include "tools/gbp/names.hpp"

namespace gbp {

/// Reads lines and writes them by the place in `names` of the file they are about, lines of one file as they came. A line
/// is about the name it begins with, before a ':', '-', blank, tab or its end (grep, wc -c), or else the one it ends with,
/// behind a blank or an asterisk (sha256sum, ls). A line about none goes with the line before it. Pure but for the streams.
void unsort(std::istream& lines, const Names& names, std::ostream& sorted);

}  // namespace gbp
