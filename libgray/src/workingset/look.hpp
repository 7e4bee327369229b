// SPDX-License-Identifier: MIT
// look: the result of one look at a process's memory, and how far it may be believed. Pure.
//
// Knowledge assumed: the processor sets a mark in the page table at the first use of a page after the mark was cleared. The kernel's sum "Referenced" counts marked resident
// pages, and pages of files that another process has just used. A huge page has one mark. Reclaim takes marks away while it looks for idle pages.
// Output observed: the sums of /proc/PID/smaps_rollup; how much the kernel has looked at to take memory away.
// Inference drawn: memory used since the clearing, and in which direction it may be wrong.
// What breaks it: uses that leave no mark in these page tables: those of a guest of KVM, of hugetlbfs, and read() and write() of cached files, whose pages belong to no process.
// Neighbours of a page of a file that are mapped with it at one fault (fault-around) carry a mark without a use. Programs that sample by other means (DAMON, idle page tracking)
// clear some marks.
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

/// Reads the text of smaps_rollup. Empty if the text lacks the resident or the marked bytes.
std::optional<MemorySums> read_sums(std::string_view text);

/// Why the marked memory may differ from the used memory. The numbers are those of gray/working_set.h.
enum Doubt : std::uint32_t { kHuge = 1, kReclaim = 2, kCleared = 4, kHugetlb = 8, kSwapped = 16 };

/// `before` is an earlier look since the same clearing, if there was one. `reclaim_rounds` says how many times the kernel has searched all memory since the clearing.
std::uint32_t doubts_of(const std::optional<MemorySums>& before, const MemorySums& now,
                        double reclaim_rounds);

}  // namespace gray::workingset
