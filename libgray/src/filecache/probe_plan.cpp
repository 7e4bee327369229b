// SPDX-License-Identifier: MIT
#include "libgray/src/filecache/probe_plan.hpp"

#include <algorithm>
#include <random>

#include "libgray/src/os/os.hpp"

namespace gray::filecache {
namespace {

std::uint64_t unit_bytes(std::uint64_t length_bytes, std::uint64_t wanted_bytes) {
  const std::uint64_t least_bytes = length_bytes / kUnitsMax + (length_bytes % kUnitsMax != 0 ? 1 : 0);
  return std::max({wanted_bytes, os::kPageBytes, least_bytes});
}

}  // namespace

std::vector<std::uint64_t> plan_probes(const Stretch& stretch, const ProbePlanOptions& options) {
  std::vector<std::uint64_t> offsets;
  // Different stretches get different offsets. The same stretch gets the same offsets again.
  std::mt19937_64 random(options.seed + stretch.offset_bytes);
  const std::uint64_t unit = unit_bytes(stretch.length_bytes, options.prediction_unit_bytes);
  const std::uint64_t stretch_end = stretch.offset_bytes + stretch.length_bytes;
  for (std::uint64_t start = stretch.offset_bytes, end = start; end < stretch_end; start = end) {
    end = stretch_end - start > unit ? start + unit : stretch_end;
    if (start != stretch.offset_bytes && end - start < unit / 2) break;
    const std::uint64_t first = std::max(start, os::kPageBytes);
    if (first >= end) continue;
    std::uniform_int_distribution<std::uint64_t> offset(first, end - 1);
    for (std::uint32_t i = 0; i < options.probes_per_unit; ++i) offsets.push_back(offset(random));
  }
  return offsets;
}

std::vector<std::uint64_t> plan_probes(std::uint64_t file_bytes, const ProbePlanOptions& options) {
  return plan_probes(Stretch{0, file_bytes}, options);
}

std::uint64_t plan_near(const Stretch& stretch, const ProbePlanOptions& options, std::uint64_t asked_bytes) {
  const std::uint64_t first = std::max(stretch.offset_bytes, os::kPageBytes);
  if (stretch.offset_bytes + stretch.length_bytes - asked_bytes > kNearBytes) return asked_bytes + kNearBytes;
  if (asked_bytes >= first + kNearBytes) return asked_bytes - kNearBytes;
  return plan_anywhere(stretch, options, 0);
}

std::uint64_t plan_anywhere(const Stretch& stretch, const ProbePlanOptions& options, std::uint32_t round) {
  std::mt19937_64 random(options.seed + stretch.offset_bytes + round + 1);
  const std::uint64_t first = std::max(stretch.offset_bytes, os::kPageBytes);
  return std::uniform_int_distribution<std::uint64_t>(
      first, stretch.offset_bytes + stretch.length_bytes - 1)(random);
}

}  // namespace gray::filecache
