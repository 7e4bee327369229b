// SPDX-License-Identifier: MIT
// map: `gbp --html FILE`: a page that shows which parts of the files are cached, and in which order gbp reads the files.
#pragma once

#include <string>
#include <vector>

#include "tools/gbp/cost.hpp"
#include "tools/gbp/order.hpp"

namespace gbp {

/// The number of files with a bar of their own. The other files are summed up.
inline constexpr std::size_t kMappedFiles = 100;

/// Makes the page. `files` are in the order in which they are read; `order` is the option that asks for that order. If the kernel counts cached pages, the
/// largest files are examined again part by part, without reading them.
std::string map_page(const std::vector<File>& files, const std::vector<gb_order_level>& levels,
                     const std::string& order, const Wanted& wanted);

}  // namespace gbp
