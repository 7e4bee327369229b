// SPDX-License-Identifier: MIT
// map: `gbp --html FILE`: a page that shows what of the files is cached, and in which order gbp reads them.
#pragma once

#include <string>
#include <vector>

#include "tools/gbp/cost.hpp"
#include "tools/gbp/order.hpp"

namespace gbp {

/// This many files have a bar of their own; the others are summed up.
inline constexpr std::size_t kMappedFiles = 100;

/// `files` is in the order in which the files are read. `order` says which order that is. If the kernel counts cached pages, the largest files are looked at again part by part;
/// nothing is read for that.
std::string map_page(const std::vector<File>& files, const std::vector<gb_order_level>& levels,
                     const std::string& order, const Wanted& wanted);

}  // namespace gbp
