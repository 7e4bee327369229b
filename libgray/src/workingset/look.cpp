// SPDX-License-Identifier: MIT
#include "libgray/src/workingset/look.hpp"

#include <algorithm>

#include "libgray/src/memory/account_text.hpp"
#include "toolbox/base/units.hpp"

namespace gray::workingset {
namespace {

// An amount below this share of the memory is no reason for a doubt.
constexpr std::uint64_t kDoubtShare = 50;
constexpr double kDoubtRounds = 0.01;

std::uint64_t less(std::uint64_t a, std::uint64_t b) {
  return a > b ? a - b : 0;
}

}  // namespace

std::optional<MemorySums> read_sums(std::string_view text) {
  const auto amount = [&](const char* key) -> std::optional<std::uint64_t> {
    const auto kib = memory::find_amount(text, key);
    if (!kib || *kib > UINT64_MAX / base::kKiB) return std::nullopt;
    return *kib * base::kKiB;
  };
  const auto resident = amount("Rss:");
  const auto marked = amount("Referenced:");
  if (!resident || !marked) return std::nullopt;
  MemorySums sums;
  sums.resident_bytes = *resident;
  sums.marked_bytes = *marked;
  sums.share_bytes = amount("Pss:").value_or(*resident);
  for (const char* key : {"AnonHugePages:", "ShmemPmdMapped:", "FilePmdMapped:"})
    sums.huge_bytes += amount(key).value_or(0);
  for (const char* key : {"Shared_Hugetlb:", "Private_Hugetlb:"})
    sums.hugetlb_bytes += amount(key).value_or(0);
  sums.swapped_bytes = amount("Swap:").value_or(0);
  return sums;
}

std::uint32_t doubts_of(const std::optional<MemorySums>& before, const MemorySums& now,
                        double reclaim_rounds) {
  std::uint32_t doubts = 0;
  if (std::min(now.huge_bytes, now.marked_bytes) > now.marked_bytes / kDoubtShare) doubts |= kHuge;
  if (reclaim_rounds > kDoubtRounds) doubts |= kReclaim;
  if (now.hugetlb_bytes > 0) doubts |= kHugetlb;
  if (now.swapped_bytes > now.resident_bytes) doubts |= kSwapped;
  // Marks vanish with memory that is given back. If more marks vanished, another process has cleared them.
  const std::uint64_t allowed_bytes = now.resident_bytes / kDoubtShare;
  if (before && less(before->marked_bytes, now.marked_bytes) >
                    less(before->resident_bytes, now.resident_bytes) + allowed_bytes)
    doubts |= kCleared;
  return doubts;
}

}  // namespace gray::workingset
