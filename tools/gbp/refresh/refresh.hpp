// SPDX-License-Identifier: MIT
// refresh: rebuilds a directory so that the order of i-numbers is again the order on disk (FLDC's controller).
//
// Knowledge assumed: in a file system of the FFS family, files that are made one after the other in a new directory get rising i-numbers. They get neighbouring blocks if each
// file is forced to disk before the next (SOSP 2001, section 4.2).
// Output observed: i-numbers and first extents before and after.
// Inference drawn: a copy that is made in the wanted order lies in that order on disk. After the exchange with the directory, the copy is a
// fresh directory.
// What breaks it: a file system without free space near the directory; a file system that places data anywhere (btrfs, ZFS), which is refused.
//
// docs/refresh.md shows step by step why this is safe.
#pragma once

#include <string>

namespace gbp {

enum class RefreshWay { show, apply, resume, rollback };

struct RefreshOptions {
  std::string directory;
  std::string order_path;  // a list of names to lay out first; empty: the smallest first
  RefreshWay way = RefreshWay::show;
  bool is_forced = false;  // refresh also where seeks cost little
};

/// Refreshes the directory, or prints on stdout what a refresh would do. Returns the exit status: 0; or 1 if something prevents the refresh. Then each reason is a line on
/// stderr, and the directory is unchanged.
int refresh(const RefreshOptions& options);

}  // namespace gbp
