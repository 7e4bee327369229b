// SPDX-License-Identifier: MIT
// request: a request for an order: the rule of the order, the other wanted facts about each file, and the functions that find
// the facts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "libgray/src/filecache/detector.hpp"
#include "libgray/src/filecache/host_settings.hpp"
#include "libgray/src/layout/place.hpp"

namespace gray::order {

/// The numbers are those of gb_order_mode_t.
enum class Mode : std::uint32_t {
  compose = 0,  // the groups and levels of `mem`; within each, files in their order on disk
  mem =
      1,  // wholly cached files first, then files with much in the cache, by cached share, then the others; within a group by level
  file = 2,  // files in their order on disk
};

struct Request {
  Mode mode = Mode::compose;
  layout::Order order = layout::Order::automatic;  // automatic: the order that saves time on each device
  bool is_by_folder = false;
  // Facts that are found even if the order does not need them.
  bool is_cache_told = false;
  bool is_place_told = false;   // the place, where an order by place saves time
  bool is_extent_told = false;  // the first extent, on every device
  bool are_levels_told = false;
  std::uint64_t hit_time_max_ns = 0;  // a slower timed read missed; 0: the threshold of the host's record

  // The functions that find the facts. All are needed, and must live until the call returns.
  std::function<filecache::Detector&()> detector;  // the detector for cached shares
  // A detector that times reads, even where the kernel can count.
  std::function<filecache::Detector&()> timed_detector;
  filecache::HostRecord* record = nullptr;
  // The ratio of the device of that path; 0: not measured.
  std::function<double(const char* path)> random_over_sequential;
  std::function<bool(std::size_t looked_at)> goes_on;  // false: stop, the call was cancelled

  [[nodiscard]] bool is_cache_wanted() const { return is_cache_told || mode != Mode::file; }
  [[nodiscard]] bool is_place_wanted() const { return is_place_told || mode != Mode::mem; }
};

}  // namespace gray::order
