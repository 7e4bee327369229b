// SPDX-License-Identifier: MIT
// probe_plan: chooses which bytes of a file to look at. Pure.
//
// From the paper (SOSP 2001, section 4.1): one random byte in each prediction unit is probed. It is random, because a fixed byte would be cached from the last probe. Files of
// less than a page are not probed, because the probe would read the whole file. Page 0 is never taken: a miss there brings in more than a page, and it is the page that other
// programs look at. Beyond the paper: one page is no answer. A kernel or a host takes pages out of the midst of a cached
// file, and a page of a cold one may be cached because somebody looked at it; so another is asked.
#pragma once

#include <cstdint>
#include <vector>

#include "libgray/src/filecache/stretch.hpp"
#include "libgray/src/os/os.hpp"
#include "toolbox/base/units.hpp"

namespace gray::filecache {

struct ProbePlanOptions {
  std::uint64_t prediction_unit_bytes = 5 * base::kMiB;
  std::uint32_t probes_per_unit = 1;
  std::uint64_t seed = 1;
};

/// A part of a file is never divided into more units than this. With this many samples a share has a standard error below 2 %, and a sparse file of exabytes must not take a
/// proportional time.
inline constexpr std::uint64_t kUnitsMax = 1024;

/// The byte offsets to probe, in ascending order of units. Empty if the part has no page except the file's page 0. The last, partial unit has probes of its own if it is at least
/// half a unit, or the only one. Units are enlarged if there would be more than kUnitsMax.
std::vector<std::uint64_t> plan_probes(const Stretch& stretch, const ProbePlanOptions& options);

/// The same for a whole file.
std::vector<std::uint64_t> plan_probes(std::uint64_t file_bytes, const ProbePlanOptions& options);

/// How far from a page the nearby page lies that is probed next. The distance is small for the head of a disk, and larger than the runs of pages that a host evicted from a
/// cached file (24 pages at most in measurements).
inline constexpr std::uint64_t kNearBytes = 32 * os::kPageBytes;

/// A page of the part near that of `asked_bytes`, or, in a short part, any page.
std::uint64_t plan_near(const Stretch& stretch, const ProbePlanOptions& options, std::uint64_t asked_bytes);

/// Any page of the part. Another `round` gives another page.
std::uint64_t plan_anywhere(const Stretch& stretch, const ProbePlanOptions& options, std::uint32_t round);

}  // namespace gray::filecache
