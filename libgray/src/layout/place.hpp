// SPDX-License-Identifier: MIT
// place: finds where a file lies on its device, and which of two files lies first.
//
// Knowledge assumed: file systems of the FFS family place the data of files near their i-numbers (SOSP 2001, section 4.2). With delayed allocation, data is placed in the order
// in which it was written. The kernel tells the address of the first extent to every user who may read the file (FIEMAP).
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

/// The numbers are those of gb_order_t.
enum class Order : std::uint32_t { automatic = 0, extent = 1, inode = 2, mtime = 3, none = 4 };

/// Finds the place of a file. Errors: as stat(2).
base::Result<Place> find_place(const char* path);

/// The same for an open file. Errors: as fstat(2).
base::Result<Place> find_place_open(int fd);

/// Returns a negative number, 0 or a positive number for: before, same, behind. This is a total order. The device is compared first, then the places as `order` says. With
/// automatic and extent, files with an address come first, ordered by address; the others follow, ordered by i-number. Order::none: all are equal.
int compare(const Place& a, const Place& b, Order order = Order::automatic);

/// From this ratio of random to sequential reading times on, a device counts as one that seeks. The head of a disk takes some 8 ms, three hundred times the transfer of a page.
/// Flash takes some forty times, and no less for neighbouring pages.
inline constexpr double kSeekRatioMin = 100;

/// Which order saves time on the file system of `path`. `random_over_sequential` is 0 if it was not measured. Errors: as statfs(2).
base::Result<Order> advise(const char* path, double random_over_sequential);

}  // namespace gray::layout
