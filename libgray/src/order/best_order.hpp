// SPDX-License-Identifier: MIT
// best_order: the order in which files are best read. Pure.
//
// Knowledge assumed: the set of files is a little larger than memory. Then the kernel keeps pages that earlier scans have used twice, and evicts first the pages that this scan
// fetches. So a page that is fetched early in a scan is evicted before the scan ends, or it causes the eviction of a page that is still
// to be read. Stores differ by factors in speed: when files in a fast store are read first, the reader of the output gets more data
// early.
// Output observed: how much of each file is cached, and in which level of the store the rest lies (store_levels.hpp).
// Inference drawn: a small file that lacks a few pages is not read among the cached files. There it would lack the same pages in the next scan, and each such
// file costs a seek. When the file is read among the missing files, it is completely cached after one scan, and its read needs no extra seek. Of the files that
// are not cached as a whole, those in the fastest level come first.
// What breaks it: a file with so much in the cache that losing it costs more than a few seeks; and a set of which so much is missing that cached pages are evicted before they
// are read. In these cases the partly cached files come before the uncached files.
#pragma once

#include <cstdint>
#include <vector>

#include "libgray/src/order/file.hpp"
#include "libgray/src/order/request.hpp"

namespace gray::order {

/// core/cached_by_itself.hpp says when much of a file is cached. If more than this share of the set is missing, a file counts as cached from one of
/// kCachedSteps steps on.
inline constexpr double kMissingShareMax = 0.125;

/// For the mode `mem`, the cached shares of those files are rounded to this many steps.
inline constexpr int kCachedSteps = 32;

/// Sorts in place, without additional memory. Ties keep the input's order, which File::input holds. Files whose cached share is unknown come after the known files (the paper
/// gives a high time to files that are too small to probe). Files that could not be examined come last.
/// On devices where no order saves time (File::order), all places are equal. `is_by_folder`: files of one folder stay together instead of the order by place, and folders come in
/// the order in which they first appear, as in the paper's comparison.
void sort_files(std::vector<File>& files, Mode mode, bool is_by_folder = false);

}  // namespace gray::order
