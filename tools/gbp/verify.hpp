// SPDX-License-Identifier: MIT
// verify: measures how often probing agrees with the kernel's own count, on the given files.
#pragma once

#include "tools/gbp/cost.hpp"

namespace gbp {

/// For each prediction unit of each file, asks first the kernel and then each probing backend. Prints a line for each backend: the compared units, and the percentage that
/// agrees. Partly cached units, for which one page can't answer, are counted separately. Reads one page for each uncached unit and backend. Returns the exit status: 1 if a file
/// could not be looked at, or if nothing could be compared.
int verify(const Names& names, const Wanted& wanted);

}  // namespace gbp
