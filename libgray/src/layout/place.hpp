// SPDX-License-Identifier: MIT
// place: where a file lies on its device, and which of two files lies first.
//
// Knowledge assumed: file systems of the FFS family place the data of files near their i-numbers (SOSP 2001, section 4.2). With delayed allocation, data is
// placed in the order in which it was written. The kernel tells the address of the first extent to every program that may read the file (FIEMAP).
// Output observed: st_dev, st_ino, st_mtim, the first extent.
// Inference drawn: the order in which one sweep of the disk's head passes the files.
// What breaks it: reuse of i-numbers on an aged file system; and delayed allocation, because data that is not yet written has no address. In both cases the first extent is right
// once it exists. Otherwise the i-number is used.
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

/// The numbers are those of gb_order_t.
enum class Order : std::uint32_t { automatic = 0, extent = 1, inode = 2, mtime = 3, none = 4 };

/// Finds the place of a file. Errors: as stat(2).
base::Result<Place> find_place(const char* path);

/// Same as find_place(), for an open file. Errors: as fstat(2).
base::Result<Place> find_place_open(int fd);

/// Negative, 0, positive: `a` is before, at the same place as, or behind `b`. A total order: first by device, then by `order`. Order::automatic and Order::extent put files with
/// an address first, sorted by address, and the others after them, sorted by i-number. With Order::none all files are equal.
int compare(const Place& a, const Place& b, Order order = Order::automatic);

/// The least ratio of random to sequential read time with which a device counts as a device that seeks. The head of a disk takes some 8 ms, three hundred times a page's transfer
/// time. For flash the ratio is some forty, also for neighbouring pages.
inline constexpr double kSeekRatioMin = 100;

/// The order that saves time on the file system of `path`. `random_over_sequential` is 0 if it was not measured.
/// Errors: as statfs(2).
base::Result<Order> advise(const char* path, double random_over_sequential);

}  // namespace gray::layout
