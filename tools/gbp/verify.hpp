// SPDX-License-Identifier: MIT
// verify: how often probing agrees with the kernel's own count, on the files at hand.
#pragma once

#include "tools/gbp/cost.hpp"

namespace gbp {

/// Asks about each prediction unit of each file the kernel first and then each probing backend, and prints a line a backend:
/// units compared, those that agree, in percent. Units that are cached in part, where one page can't answer, are counted
/// apart. Costs a page a unit that is not cached and a backend. Returns the exit status: 1 when a file could not be looked
/// at or nothing could be compared.
int verify(const Names& names, const Wanted& wanted);

}  // namespace gbp
