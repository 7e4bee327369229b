// SPDX-License-Identifier: MIT
// cached_by_itself: decides whether a file counts as cached, independently of the other files.
//
// Knowledge assumed: reading the few missing pages of a file costs a seek; reading kMuchBytes again takes as long as a few seeks.
// Observed: the file's size, and the cached share of it. Inferred: whether the file should be read before the missing files, so that its
// cached part is kept.
// What breaks it: a disk whose seek costs are not known.
#pragma once

#include <cstdint>

#include "toolbox/base/units.hpp"

namespace gray::core {

/// A file of which a part is missing counts as cached if at least this much of it is cached,
inline constexpr std::uint64_t kMuchBytes = 4 * base::kMiB;

/// and if that is at least this share of the file.
inline constexpr double kCachedFractionMin = 0.5;

/// `cached_fraction` is negative if it is unknown. Pure.
constexpr double cached_bytes(double cached_fraction, std::uint64_t size_bytes) {
  return cached_fraction < 0 ? 0 : cached_fraction * static_cast<double>(size_bytes);
}

/// Whether the file is cached as a whole, or at least half of it and at least kMuchBytes. Pure.
constexpr bool is_cached_by_itself(double cached_fraction, std::uint64_t size_bytes) {
  return cached_fraction >= 1 ||
         (cached_fraction >= kCachedFractionMin &&
          cached_bytes(cached_fraction, size_bytes) >= static_cast<double>(kMuchBytes));
}

}  // namespace gray::core
