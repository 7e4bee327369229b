// SPDX-License-Identifier: MIT
// look: examines each file of a list once.
#pragma once

#include <cstddef>
#include <vector>

#include "libgray/src/order/file.hpp"
#include "libgray/src/order/request.hpp"

namespace gray::order {

/// Examines each path. A file that cannot be examined has `error` set, also for a null path. The other files are not affected. Returns -ECANCELED or 0. Suppose
/// that only an automatic order by place is wanted, and that each file of a sample is wholly cached or on a device where no order saves time. Then no order can
/// help, and the places are not looked up.
int look_at(const char* const* paths, std::size_t count, const Request& request, std::vector<File>& files);

}  // namespace gray::order
