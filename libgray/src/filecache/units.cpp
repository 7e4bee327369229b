// SPDX-License-Identifier: MIT
#include "libgray/src/filecache/units.hpp"

#include <algorithm>

namespace gray::filecache {
namespace {

std::vector<Stretch> within(const std::vector<Stretch>& extents, std::uint64_t file_bytes) {
  std::vector<Stretch> units;
  for (const Stretch& extent : extents) {
    if (extent.offset_bytes >= file_bytes || extent.length_bytes == 0) continue;
    units.push_back({extent.offset_bytes, std::min(extent.length_bytes, file_bytes - extent.offset_bytes)});
  }
  return units;
}

int steps_of(double cached_fraction) {
  return cached_fraction < 0 ? -1 : static_cast<int>(cached_fraction * kCachedSteps);
}

}  // namespace

std::vector<Stretch> divide(std::uint64_t file_bytes, const UnitOptions& options) {
  if (!options.extents.empty()) return within(options.extents, file_bytes);
  const std::uint64_t record = std::max<std::uint64_t>(options.record_bytes, 1);
  const std::uint64_t wanted =
      std::max({options.access_unit_bytes, record, file_bytes / kAccessUnitsMax + 1});
  const std::uint64_t unit = wanted - wanted % record;
  std::vector<Stretch> units;
  for (std::uint64_t start = 0; start < file_bytes;) {
    const std::uint64_t length = std::min(unit, file_bytes - start);
    units.push_back({start, length});
    start += length;
  }
  return units;
}

int compare_cached(double a, double b) {
  return steps_of(b) - steps_of(a);
}

}  // namespace gray::filecache
