// SPDX-License-Identifier: MIT
// verify: measures how often probing agrees with the kernel's own count, on the given files.
#pragma once

#include "tools/gbp/cost.hpp"

namespace gbp {

/// For each prediction unit of each file, asks the kernel first and then each probing backend. Prints a line for each backend: the units compared, and the percentage that
/// agrees. Partly cached units are counted separately, because one page cannot represent them. Each backend fetches one page for each uncached unit. Returns
/// the exit status: 1 if a file could not be examined, or if no unit could be compared.
int verify(const Names& names, const Wanted& wanted);

}  // namespace gbp
