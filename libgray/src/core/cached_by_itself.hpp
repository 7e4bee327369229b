// SPDX-License-Identifier: MIT
// cached_by_itself: decides when a file counts as cached, whatever is missing of the other files.
//
// Knowledge assumed: a file that lacks a few pages costs a seek for these pages. Reading kMuchBytes again takes as long as a few seeks.
// Observed: its size, and which share of it is cached. Inferred: whether to keep what is cached is worth a place before the missing files.
// What breaks it: a disk whose seek times are unknown.
#pragma once

#include <cstdint>

#include "toolbox/base/units.hpp"

namespace gray::core {

/// The least number of cached bytes that count as much of a file.
inline constexpr std::uint64_t kMuchBytes = 4 * base::kMiB;

/// The least share of a file that must be cached, too, for its cached bytes to count as much.
inline constexpr double kCachedFractionMin = 0.5;

/// `cached_fraction` is negative if it is unknown. Pure.
constexpr double cached_bytes(double cached_fraction, std::uint64_t size_bytes) {
  return cached_fraction < 0 ? 0 : cached_fraction * static_cast<double>(size_bytes);
}

/// Whether the whole file is cached, or half of it and much. Pure.
constexpr bool is_cached_by_itself(double cached_fraction, std::uint64_t size_bytes) {
  return cached_fraction >= 1 ||
         (cached_fraction >= kCachedFractionMin &&
          cached_bytes(cached_fraction, size_bytes) >= static_cast<double>(kMuchBytes));
}

}  // namespace gray::core
