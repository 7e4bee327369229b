// SPDX-License-Identifier: MIT
// file: the known facts about one of the files that are ordered: how much of it is cached, and where it lies.
#pragma once

#include <cstdint>

#include "libgray/src/filecache/detector.hpp"
#include "libgray/src/layout/place.hpp"

namespace gray::order {

/// Kept small, because there may be millions.
struct File {
  const char* path = "";  // the caller's, and valid as long as files are looked at and sorted
  std::uint64_t size_bytes = 0;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t first_extent_bytes = 0;  // if has_first_extent
  std::int64_t modified_ns = 0;
  float cached_fraction = -1;  // negative: unknown
  float confidence = 0;
  float access_ns = 0;      // how long a first read of it takes; 0: not known
  std::int32_t error = 0;   // negative errno: it could not be looked at
  std::uint32_t input = 0;  // its place in the input, once the files are sorted
  filecache::Backend backend : 8 = filecache::Backend::none;
  layout::Order order : 8 = layout::Order::none;  // what pays on its device
  std::uint8_t level = 0;  // of the store it is in (store_levels.hpp): 0 is the fastest
  bool has_first_extent = false;
};
static_assert(sizeof(File) <= 72, "with its name a file shall take no more than 150 bytes");

}  // namespace gray::order
