// SPDX-License-Identifier: MIT
// probe_plan: chooses the bytes of a file to probe. Pure.
//
// From the paper (SOSP 2001, section 4.1): one random byte in each prediction unit. The byte is random because the page at a fixed place would still be cached
// from the last probing. Files under a page are not probed, since the probe would fetch the whole file. Page 0 is never probed: a miss there fetches more than
// a page, and other programs often read that page. Difference from the paper: one page is not enough for an answer. The kernel may take pages out of the
// middle of a cached file, and a single page of a cold file may be cached because another program read it. So a second page is probed.
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

/// A stretch is divided into no more units than this. With so many samples the standard error of the share is below 2 %. The limit also bounds the time for a sparse file of
/// exabytes.
inline constexpr std::uint64_t kUnitsMax = 1024;

/// Byte offsets to probe, ascending by unit; empty if the stretch has no page except the file's page 0. The last, partial unit has its own probes if it is at least half a unit,
/// or the only unit. Units are made larger where there would be more than kUnitsMax.
std::vector<std::uint64_t> plan_probes(const Stretch& stretch, const ProbePlanOptions& options);

/// The byte offsets to probe in a whole file.
std::vector<std::uint64_t> plan_probes(std::uint64_t file_bytes, const ProbePlanOptions& options);

/// The distance of a second probe that should be near the first. A disk's head moves little over this distance. It is larger than the runs of pages that a host
/// took out of a cached file (at most 24 pages in a row were measured).
inline constexpr std::uint64_t kNearBytes = 32 * os::kPageBytes;

/// A page of the stretch near the page of `asked_bytes`; in a short stretch any page.
std::uint64_t plan_near(const Stretch& stretch, const ProbePlanOptions& options, std::uint64_t asked_bytes);

/// A random page of the stretch; each `round` gives a different page.
std::uint64_t plan_anywhere(const Stretch& stretch, const ProbePlanOptions& options, std::uint32_t round);

}  // namespace gray::filecache
