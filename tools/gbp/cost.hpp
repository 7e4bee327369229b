// SPDX-License-Identifier: MIT
// cost: the known facts about one file before it is read: how much of it is cached, and where it lies.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gray/cache.h>
#include <gray/layout.h>

#include "tools/gbp/host_parameters.hpp"
#include "tools/gbp/names.hpp"

namespace gbp {

/// One input. Kept small, because there may be millions.
struct File {
  const char* path = "";  // owned by the Names it came from
  std::uint64_t size_bytes = 0;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t first_extent_bytes = 0;  // if has_first_extent
  std::int64_t modified_ns = 0;
  float cached_fraction = -1;  // negative: unknown
  float confidence = 0;
  float access_ns = 0;     // how long a first read of it takes; 0: not known
  std::int32_t error = 0;  // negative errno: it could not be looked at
  std::uint32_t rank = 0;  // its place in the input
  std::uint8_t backend = GB_BACKEND_NONE;
  std::uint8_t order = GB_ORDER_NONE;  // what pays on its device
  std::uint8_t level = 0;              // of the store it is in (gray/order.h): 0 is the fastest
  bool has_first_extent = false;
};
static_assert(sizeof(File) <= 72);

/// Which facts to find out.
struct Wanted {
  bool is_cache_wanted = true;
  bool is_layout_wanted = true;
  bool is_extent_told = false;  // also where no order by it is wanted
  gb_backend_t backend = GB_BACKEND_AUTO;
  gb_order_t order = GB_ORDER_AUTO;  // auto: what pays on each device
  Host host;
};

struct CloseCache {
  void operator()(gb_cache_t* detector) const { gb_cache_close(detector); }
};
using Detector = std::unique_ptr<gb_cache_t, CloseCache>;

/// Opens a detector as `wanted` says; nullptr after saying why it failed. A detector that may not probe reads nothing.
gb_cache_t* open_detector(const Wanted& wanted, gb_backend_t backend, bool may_probe = true);

}  // namespace gbp
