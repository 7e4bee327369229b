// SPDX-License-Identifier: MIT
// place: where a file lies on its device, and which of two lies first.
//
// Knowledge assumed: file systems of the FFS family place the data of files near their i-numbers (SOSP 2001,
// section 4.2); the kernel tells the address of a first extent to anyone who may read the file (FIEMAP).
// Output observed: st_dev, st_ino, the first extent.
// Inference drawn: the order in which one sweep of the
// head meets the files.
// What breaks it: reuse of i-numbers on an aged file system, and delayed allocation:
// data not written yet has no address. The first extent is right in both cases once it exists; i-number order
// is the fallback.
#pragma once

#include <cstdint>
#include <optional>

#include "toolbox/base/result.hpp"

namespace gray::layout {

struct Place {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::optional<std::uint64_t> first_extent_bytes;
};

/// Finds the place of a file. Errors: as stat(2).
base::Result<Place> find_place(const char* path);

/// Negative, 0, positive: before, same, behind. A total order: by device; those with an address first, by
/// address; the others by i-number.
int compare(const Place& a, const Place& b);

}  // namespace gray::layout
