// SPDX-License-Identifier: MIT
// best_order: the order in which files are best read. Pure.
//
// Knowledge assumed: the set is a little larger than memory. Then the kernel keeps pages that earlier scans have used twice, and evicts first the pages that this scan
// fetches. So a page that is fetched early in a scan is evicted before the scan ends, or it pushes out a page that is still to be read.
// Levels of storage differ much in speed. Files in a fast level are read soon, so the program that uses the output gets more data early.
// Output observed: how much of each file is cached, and in which level of the store the rest lies (store_levels.hpp).
// Inference drawn: a small file that lacks a few pages is not read among the cached files. There it would lack the same pages in the next scan,
// and each such file costs a seek. Among the missing files it is whole after one scan, and the disk's head passes it on its way. Among the files that are not wholly cached,
// those in the fastest level come first.
// What breaks it: a file with so many cached bytes that losing them costs more than a few seeks; and a set with so much uncached data that the cached pages are evicted before
// their turn. Such files come before the missing ones.
#pragma once

#include <cstdint>
#include <vector>

#include "libgray/src/order/file.hpp"
#include "libgray/src/order/request.hpp"

namespace gray::order {

/// core/cached_by_itself.hpp says when much of a file is cached. If more than this share of the set is missing, the first of kCachedSteps counts as much already.
inline constexpr double kMissingShareMax = 0.125;

/// For `mem`, the shares of those files are distinguished only in this many steps.
inline constexpr int kCachedSteps = 32;

/// Sorts in place, with no memory beside the files. Files with equal rank keep the input's order, which `input` remembers. Files of which it is unknown what is cached come
/// behind the known ones (in the paper, files that are too small to probe get a high time). Files that could not be looked at come last. On devices where no order saves time
/// (File::order) the places count as equal. With `is_by_folder` the place is the directory, as in the paper's comparison: files of one folder together, folders in the order in
/// which they first appear.
void sort_files(std::vector<File>& files, Mode mode, bool is_by_folder = false);

}  // namespace gray::order
