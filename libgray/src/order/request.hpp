// SPDX-License-Identifier: MIT
// request: how files must be ordered, which facts about each file are wanted beside the order, and which functions answer.
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
  compose = 0,  // the groups and levels of `mem`, each as it lies on disk
  mem =
      1,  // the whole ones first, then those of which much is cached, by their share, then the others; within a group by level
  file = 2,  // as they lie on disk
};

struct Request {
  Mode mode = Mode::compose;
  layout::Order order = layout::Order::automatic;  // automatic: what pays on each device
  bool is_by_folder = false;
  // Facts that are told even if the order does not need them.
  bool is_cache_told = false;
  bool is_place_told = false;   // where an order by it pays
  bool is_extent_told = false;  // everywhere
  bool are_levels_told = false;
  std::uint64_t hit_time_max_ns = 0;  // a slower timed read missed; 0: as the record says

  // The functions that answer. All are needed, and none is used after the call.
  std::function<filecache::Detector&()> detector;        // the one for the cache
  std::function<filecache::Detector&()> timed_detector;  // one that times reads, whatever the kernel counts
  filecache::HostRecord* record = nullptr;
  std::function<double(const char* path)> random_over_sequential;  // of the device there; 0: not measured
  std::function<bool(std::size_t looked_at)> goes_on;              // false: enough, give up

  [[nodiscard]] bool is_cache_wanted() const { return is_cache_told || mode != Mode::file; }
  [[nodiscard]] bool is_place_wanted() const { return is_place_told || mode != Mode::mem; }
};

}  // namespace gray::order
