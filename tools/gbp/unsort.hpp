// SPDX-License-Identifier: MIT
// unsort: sorts the lines that a program printed about files back into the order in which the files were given.
#pragma once

#include <istream>
#include <ostream>

#include "tools/gbp/names.hpp"

namespace gbp {

/// Reads lines and writes them sorted by the place in `names` of the file that each line is about. Lines about one file keep their order. A line is about the name at its start,
/// before a ':', '-', blank, tab or the line's end (grep, wc -c); or else about the name at its end, behind a blank or an asterisk (sha256sum, ls). A line about no name stays
/// with the line before it. Pure except for the streams.
void unsort(std::istream& lines, const Names& names, std::ostream& sorted);

}  // namespace gbp
