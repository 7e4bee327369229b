// SPDX-License-Identifier: MIT
#include "libgray/src/filecache/probe_plan.hpp"

#include <algorithm>
#include <random>

#include "libgray/src/os/os.hpp"

namespace gray::filecache {
namespace {

std::uint64_t unit_bytes(std::uint64_t file_bytes, std::uint64_t wanted_bytes) {
  const std::uint64_t least_bytes = file_bytes / kUnitsMax + (file_bytes % kUnitsMax != 0 ? 1 : 0);
  return std::max({wanted_bytes, os::kPageBytes, least_bytes});
}

}  // namespace

std::vector<std::uint64_t> plan_probes(std::uint64_t file_bytes, const ProbePlanOptions& options) {
  std::vector<std::uint64_t> offsets;
  if (file_bytes <= os::kPageBytes) return offsets;
  std::mt19937_64 random(options.seed);
  const std::uint64_t unit = unit_bytes(file_bytes, options.prediction_unit_bytes);
  for (std::uint64_t start = 0, end = 0; end < file_bytes; start = end) {
    end = file_bytes - start > unit ? start + unit : file_bytes;
    if (start != 0 && end - start < unit / 2) break;
    const std::uint64_t first = std::max(start, os::kPageBytes);
    if (first >= end) continue;
    std::uniform_int_distribution<std::uint64_t> offset(first, end - 1);
    for (std::uint32_t i = 0; i < options.probes_per_unit; ++i) offsets.push_back(offset(random));
  }
  return offsets;
}

}  // namespace gray::filecache
