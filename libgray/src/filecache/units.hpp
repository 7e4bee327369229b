// SPDX-License-Identifier: MIT
// units: how a file is divided into the parts in which it is read out of order, and the best order of these parts. Pure.
//
// From the paper (SOSP 2001, section 4.1.2): a part must be long enough to be worth its seek (20 MB there). It must also be a few times longer than the kernel's read-ahead,
// because the read-ahead of one part runs into the next. A program that reads records wants no record to be cut. A program that knows the structure of its file names the parts
// itself.
#pragma once

#include <cstdint>
#include <vector>

#include "libgray/src/filecache/stretch.hpp"
#include "toolbox/base/units.hpp"

namespace gray::filecache {

struct UnitOptions {
  std::uint64_t access_unit_bytes = 20 * base::kMiB;
  std::uint64_t record_bytes = 0;  // no unit ends within a record of this length; 0 or 1: anywhere
  std::vector<Stretch> extents;    // when not empty: these are the units
};

/// A file is never divided into more units than this. The units are enlarged instead, because a sparse file may have exabytes.
inline constexpr std::uint64_t kAccessUnitsMax = 65536;

/// The units of a file, in ascending order, without gaps; or the caller's extents, as far as they lie within the file.
std::vector<Stretch> divide(std::uint64_t file_bytes, const UnitOptions& options);

/// For ordering, shares are distinguished only in this many steps. A probe leaves a page in the cache, and one page more is no reason to leave the order in which the units lie.
inline constexpr int kCachedSteps = 32;

/// Which of two shares comes first; negative for the first one. The most cached share comes first, an unknown share (below 0) last.
int compare_cached(double a, double b);

}  // namespace gray::filecache
