// SPDX-License-Identifier: MIT
// look: evaluates one reading of a process's memory sums, and how reliable it is. Pure.
//
// Knowledge assumed: the processor sets a mark in the page table at the first use of a page after the mark was cleared. The kernel's sum "Referenced" counts marked pages that
// are resident, and file pages that another process has just used. A huge page has one mark. Reclaim clears marks while it searches for idle pages.
// Output observed: the sums of /proc/PID/smaps_rollup; how much memory the kernel has scanned for reclaim.
// Inference drawn: the memory used since the clearing, and in which direction that amount may be wrong.
// What breaks it: uses that leave no mark in these page tables: a KVM guest, hugetlbfs, and read() and write() of cached files, which belong to no process. Neighbours of a file
// page that are mapped with it at one fault (fault-around) have a mark without a use. Other samplers (DAMON, idle page tracking) clear some marks.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gray::workingset {

/// The kernel's sums over everything that a process maps.
struct MemorySums {
  std::uint64_t resident_bytes = 0;
  std::uint64_t share_bytes = 0;
  std::uint64_t marked_bytes = 0;
  std::uint64_t huge_bytes = 0;  ///< in huge pages, marked or not
  std::uint64_t swapped_bytes = 0;
  std::uint64_t hugetlb_bytes = 0;
};

/// Reads the sums from the text of smaps_rollup. No value if the resident or the marked amount is missing.
std::optional<MemorySums> read_sums(std::string_view text);

/// Reasons why the marked memory may differ from the memory used. Numbered as in gray/working_set.h.
enum Doubt : std::uint32_t { kHuge = 1, kReclaim = 2, kCleared = 4, kHugetlb = 8, kSwapped = 16 };

/// `before` is an earlier reading since the same clearing, if there was one. `reclaim_rounds` is how often the kernel has scanned all memory since the clearing.
std::uint32_t doubts_of(const std::optional<MemorySums>& before, const MemorySums& now,
                        double reclaim_rounds);

}  // namespace gray::workingset
