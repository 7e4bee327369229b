// SPDX-License-Identifier: MIT
// readahead_rules: the rules of the kernel's read-ahead that differ between releases. Each rule is a bit, so recordings and shared memory hold all rules in one number.
//
// Source: mm/readahead.c and mm/filemap.c of the releases named. Distributions port single changes back to older releases, so the release is only a first guess. microbench finds
// the rules of a kernel from its reads (estimate/readahead_rules.hpp).
#pragma once

#include <cstdint>

namespace gray::base {

/// A set of the rules below. The empty set means the rules of 6.17 and later.
using ReadaheadRules = std::uint32_t;

/// Up to 6.16: a window that is read ahead may end at any page. Later it ends at the end of a folio, even if the file system makes no folios.
inline constexpr ReadaheadRules kWindowEndsAnywhere = 1;
/// Up to 6.10: a miss at the page where the next window would begin continues with the next window, even if that page has no marker.
inline constexpr ReadaheadRules kMissGoesOn = 2;
/// 5.12 to 6.5: within one call, the previous page of a page is the page before it. Later, and earlier, it is the last page of the last call.
inline constexpr ReadaheadRules kPreviousByPage = 4;
/// Up to 5.11: the kernel remembers the page of the last byte that was read. Later, if a read ends at the end of a page, it remembers the page behind it.
inline constexpr ReadaheadRules kPreviousIsLastPage = 8;
/// Up to 6.12, except for the later versions of 6.1, 6.6 and 6.12, which are maintained for long and have the correction: after a request beyond the largest window the next
/// window may be smaller.
inline constexpr ReadaheadRules kWindowMayShrink = 16;

/// Up to 6.15, unless it was corrected later: if the kernel meets the marker of another window, and no page behind it within reach is missing, a window starts at the last page
/// that was looked at. Later no window starts.
inline constexpr ReadaheadRules kLastIsMissing = 32;

inline constexpr ReadaheadRules kAllReadaheadRules = 63;

/// The rules that a kernel of this release most likely follows. The release is 1000 x its first number + its second. 0 means unknown, and gives the rules of the newest release.
constexpr ReadaheadRules rules_of_release(int release) {
  if (release == 0 || release >= 6017) return 0;
  if (release >= 6011) return kWindowEndsAnywhere;  // 6.12, which is maintained for long, has the mend
  constexpr ReadaheadRules kOfOneFunction = kWindowEndsAnywhere | kLastIsMissing | kMissGoesOn;
  if (release >= 6006) return kOfOneFunction;
  if (release >= 6000) return kOfOneFunction | kPreviousByPage;
  if (release >= 5012) return kOfOneFunction | kPreviousByPage | kWindowMayShrink;
  return kOfOneFunction | kPreviousIsLastPage | kWindowMayShrink;
}

}  // namespace gray::base
