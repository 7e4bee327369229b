// SPDX-License-Identifier: MIT
// find_order: examines the files of a list of paths and sorts them into the order in which they are best read.
#pragma once

#include <cstddef>
#include <vector>

#include "libgray/src/order/file.hpp"
#include "libgray/src/order/request.hpp"
#include "libgray/src/order/store_levels.hpp"

namespace gray::order {

struct Found {
  std::vector<File> files;  // in the best order; their `path` is no longer valid
  std::vector<StoreLevel> levels;
};

/// -ECANCELED, or 0.
int find_order(const char* const* paths, std::size_t count, const Request& request, Found& found);

}  // namespace gray::order
