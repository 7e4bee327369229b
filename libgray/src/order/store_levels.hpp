// SPDX-License-Identifier: MIT
// store_levels: finds in which store (memory, flash, a disk, a server) each file is now, by the time of a first read.
//
// Knowledge assumed: reads of a mostly cached file are answered from memory. Reads of any other file are answered by its device.
// Output observed: the times of the probes, where probes are timed. If the kernel counts cached pages, no probe is timed. Then the recorded time of a miss on
//   the file's device is used (disk.miss_ns, disk.random_read_ns), or else three timed reads of files on it that are not cached.
// Inference drawn: base/levels.hpp tells how many levels there are and which of them each file is in.
// What breaks it: a device with widely spread times is one level, even if it keeps some files in a cache of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "libgray/src/order/file.hpp"
#include "libgray/src/order/request.hpp"

namespace gray::order {

/// The kind of store that has such times. Numbered as gb_level_kind_t.
enum class Kind : std::uint32_t { memory = 1, flash = 2, disk = 3, server = 4 };

struct StoreLevel {
  Kind kind = Kind::memory;
  std::uint64_t median_ns = 0;
  std::uint64_t low_ns = 0;  // the shortest time of the level's files; high_ns is the longest
  std::uint64_t high_ns = 0;
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
};

/// Sets `level` of each file that could be examined, and `access_ns` of each file that was not timed. Files whose time is not known belong to the last level. With one device and
/// no timed file there are no levels to distinguish: then no page is read and the answer is empty, unless Request::are_levels_told is set. Fetches at most three pages from each
/// device.
std::vector<StoreLevel> find_levels(std::vector<File>& files, const Request& request);

}  // namespace gray::order
