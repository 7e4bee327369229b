// SPDX-License-Identifier: MIT
// refresh: brings a directory back to a state where the order of i-numbers is the order on disk (FLDC's controller).
//
// Knowledge assumed: if files are made one after the other in a new directory, a file system of the FFS family gives them rising i-numbers. If each file is forced to disk before
// the next one, they get neighbouring blocks (SOSP 2001, section 4.2).
// Output observed: i-numbers and first extents before and after.
// Inference drawn: a copy made in the wanted order lies in that order; exchanged for the directory it is a fresh one.
// What breaks it: a file system without free room near the directory; one that puts data anywhere (btrfs, ZFS): refused.
//
// docs/refresh.md explains step by step why this is safe.
#pragma once

#include <string>

namespace gbp {

enum class RefreshWay { show, apply, resume, rollback };

struct RefreshOptions {
  std::string directory;
  std::string order_path;  // a list of names to lay out first; empty: the smallest first
  RefreshWay way = RefreshWay::show;
  bool is_forced = false;  // also where seeks cost little
};

/// Refreshes the directory, or prints on stdout what it would do. Returns the exit status: 0, or 1 if something prevents it. Then stderr has one line for each reason, and the
/// directory is unchanged.
int refresh(const RefreshOptions& options);

}  // namespace gbp
