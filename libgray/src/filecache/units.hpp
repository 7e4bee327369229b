// SPDX-License-Identifier: MIT
// units: divides a file into parts that are read out of order, and gives their best order. Pure.
//
// From the paper (SOSP 2001, section 4.1.2): a part must be long (20 MB there), so that its seek costs little in comparison. It must be several read-ahead windows long, since
// read-ahead for one part runs into the next part. A reader of records wants no record cut. A reader that knows the structure of its file names the parts itself.
#pragma once

#include <cstdint>
#include <vector>

#include "libgray/src/filecache/stretch.hpp"
#include "toolbox/base/units.hpp"

namespace gray::filecache {

struct UnitOptions {
  std::uint64_t access_unit_bytes = 20 * base::kMiB;
  // No unit ends within a record of this length; 0 or 1: units may end anywhere.
  std::uint64_t record_bytes = 0;
  std::vector<Stretch> extents;  // if not empty, these are the units
};

/// A file is divided into no more units than this. For a larger file the units grow, since a sparse file may have exabytes.
inline constexpr std::uint64_t kAccessUnitsMax = 65536;

/// The units of a file, ascending, without gaps; or the caller's extents, cut at the end of the file.
std::vector<Stretch> divide(std::uint64_t file_bytes, const UnitOptions& options);

/// For ordering, cached shares are rounded to this many steps. A probe leaves its page in the cache, and one more page should not change the order of the
/// units.
inline constexpr int kCachedSteps = 32;

/// Compares two shares; negative if `a` comes first. The larger share comes first, an unknown share (below 0) last.
int compare_cached(double a, double b);

}  // namespace gray::filecache
