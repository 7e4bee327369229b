// SPDX-License-Identifier: MIT
// look: looks at each file of a list, once.
#pragma once

#include <cstddef>
#include <vector>

#include "libgray/src/order/file.hpp"
#include "libgray/src/order/request.hpp"

namespace gray::order {

/// Looks at each path. A file that can't be looked at has `error` set; the others are not affected. A null path is such a file. Returns -ECANCELED or 0. If only the order by
/// place is wanted, in automatic mode, a sample of the files is checked first. If each file of the sample is wholly cached, or lies where no order saves time, no order can gain
/// anything, and no places are looked up.
int look_at(const char* const* paths, std::size_t count, const Request& request, std::vector<File>& files);

}  // namespace gray::order
