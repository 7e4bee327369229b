// SPDX-License-Identifier: MIT
// place: where a file lies on its device, and which of two lies first.
//
// Knowledge assumed: file systems of the FFS family place the data of files near their i-numbers (SOSP 2001,
// section 4.2); with delayed allocation data is placed in the order it was written; the kernel tells the address of a
// first extent to anyone who may read the file (FIEMAP).
// Output observed: st_dev, st_ino, st_mtim, the first extent.
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
  std::int64_t modified_ns = 0;
};

/// Numbered as gb_order_t.
enum class Order : std::uint32_t { automatic = 0, extent = 1, inode = 2, mtime = 3, none = 4 };

/// Finds the place of a file. Errors: as stat(2).
base::Result<Place> find_place(const char* path);

/// The same of an open file. Errors: as fstat(2).
base::Result<Place> find_place_open(int fd);

/// Negative, 0, positive: before, same, behind. A total order: by device; then as `order` says, where automatic and
/// extent put those with an address first, by address, and the others by i-number. Order::none: all are the same.
int compare(const Place& a, const Place& b, Order order = Order::automatic);

/// The ratio of random to sequential reading from which on a device counts as one that seeks. A disk's head takes some
/// 8 ms, three hundred times a page's transfer; flash some forty times, and not less for neighbours.
inline constexpr double kSeekRatioMin = 100;

/// Which order pays on the file system of `path`; `random_over_sequential` is 0 when it was not measured.
/// Errors: as statfs(2).
base::Result<Order> advise(const char* path, double random_over_sequential);

}  // namespace gray::layout
