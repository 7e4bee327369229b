// SPDX-License-Identifier: MIT
// store_levels: finds in which level of storage each file is now, from the time of a first read: memory, flash, a disk, a server.
//
// Knowledge assumed: a mostly cached file is read from memory, any other file from its device.
// Output observed: the times of the probes, where probes are timed. If the kernel tells what is cached, nothing was timed. Then the recorded time of a miss on the file's device
// is used (disk.miss_ns, disk.random_read_ns), or else three timed reads of uncached files there.
// Inference drawn: base/levels.hpp tells how many levels there are and which of them each file is in.
// What breaks it: a device whose times vary widely counts as one level, even if it keeps some files in a cache of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "libgray/src/order/file.hpp"
#include "libgray/src/order/request.hpp"

namespace gray::order {

/// Which kind of times a level has. The numbers are those of gb_level_kind_t.
enum class Kind : std::uint32_t { memory = 1, flash = 2, disk = 3, server = 4 };

struct StoreLevel {
  Kind kind = Kind::memory;
  std::uint64_t median_ns = 0;
  std::uint64_t low_ns = 0;  // the shortest and the longest of its files' times
  std::uint64_t high_ns = 0;
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
};

/// Sets `level` of each file that could be looked at, and `access_ns` if it was not timed. Files without a known time are in the last level. With one device and no times there
/// is nothing to distinguish. Then nothing is read or looked up, and the answer is empty, unless Request::are_levels_told is set. Fetches at most three pages of each device.
std::vector<StoreLevel> find_levels(std::vector<File>& files, const Request& request);

}  // namespace gray::order
