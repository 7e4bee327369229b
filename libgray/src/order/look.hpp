// SPDX-License-Identifier: MIT
// look: at each file of a list, once.
#pragma once

#include <cstddef>
#include <vector>

#include "libgray/src/order/file.hpp"
#include "libgray/src/order/request.hpp"

namespace gray::order {

/// Looks at each path. A file that can't be looked at has `error` set; the others are unaffected. A path that is null is such a file. -ECANCELED, or 0.
/// Where the order by layout is all that is wanted, by itself, and each of a sample of the files is cached throughout or lies where no order
/// pays, none can gain anything and none is looked for.
int look_at(const char* const* paths, std::size_t count, const Request& request, std::vector<File>& files);

}  // namespace gray::order
