// SPDX-License-Identifier: MIT
#include "toolbox/repo/shipped_defaults.hpp"

#include <algorithm>
#include <iterator>

#include "toolbox/base/units.hpp"

namespace gray::repo {
namespace {

constexpr auto kMiB = static_cast<double>(base::kMiB);
constexpr auto kKiB = static_cast<double>(base::kKiB);

// The access and prediction units are those of Arpaci-Dusseau, SOSP 2001, section 4.1. The times are typical of present machines with a flash disk. On a
// mechanical disk the time of a cache miss is some fifty times longer.
constexpr ShippedDefault kDefaults[] = {
    {"cache.hit_ns", 500, "ns", false},
    {"cache.threshold_ns", 10'000, "ns", true},
    {"disk.access_unit_bytes", 20 * kMiB, "bytes", true},
    {"disk.miss_ns", 100'000, "ns", true},
    {"disk.random_over_sequential", 10, "1", true},
    {"disk.random_read_ns", 100'000, "ns", true},
    {"disk.readahead_max_bytes", 128 * kKiB, "bytes", true},
    {"disk.readahead_rules", 0, "1", true},
    {"disk.sequential_bytes_per_s", 100e6, "bytes/s", true},
    {"filecache.access_unit_bytes", 20 * kMiB, "bytes", false},
    {"filecache.prediction_unit_bytes", 5 * kMiB, "bytes", false},
    {"memory.touch_4k_ns", 500, "ns", false},
    {"timer.overhead_ns", 25, "ns", false},
};

constexpr bool is_sorted_by_key() {
  for (std::size_t i = 1; i < std::size(kDefaults); ++i) {
    if (kDefaults[i].key <= kDefaults[i - 1].key) return false;
  }
  return true;
}
static_assert(is_sorted_by_key(), "find_shipped_default() searches by halving");

}  // namespace

const ShippedDefault* shipped_defaults_begin() {
  return std::begin(kDefaults);
}

const ShippedDefault* shipped_defaults_end() {
  return std::end(kDefaults);
}

const ShippedDefault* find_shipped_default(std::string_view key) {
  const ShippedDefault* found = std::lower_bound(
      std::begin(kDefaults), std::end(kDefaults), key,
      [](const ShippedDefault& entry, std::string_view wanted) { return entry.key < wanted; });
  return found != std::end(kDefaults) && found->key == key ? found : nullptr;
}

}  // namespace gray::repo
