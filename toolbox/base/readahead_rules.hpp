// SPDX-License-Identifier: MIT
// readahead_rules: in what the kernel's read-ahead differs from release to release, as bits that recordings and shared memory carry as one number.
//
// Source: mm/readahead.c and mm/filemap.c of the releases named. Distributions take single changes back into older releases, so a release
// is a first guess; which rules a kernel follows shows in what it reads (microbench, estimate/readahead_rules.hpp).
#pragma once

#include <cstdint>

namespace gray::base {

/// A set of the rules below. None of them: as since 6.17.
using ReadaheadRules = std::uint32_t;

/// Up to 6.16: a window that is read ahead ends anywhere. Later it ends where a folio would, whatever the file system makes.
inline constexpr ReadaheadRules kWindowEndsAnywhere = 1;
/// Up to 6.10: a miss where the next window would begin goes on with that, though nothing marked the page.
inline constexpr ReadaheadRules kMissGoesOn = 2;
/// 5.12 to 6.5: within one call, what a page is the successor of is the page before. Later, and before, the last page of the last call.
inline constexpr ReadaheadRules kPreviousByPage = 4;
/// Up to 5.11: the page of the last byte read is what is remembered. Later, of a read that ends with a page, the page behind it.
inline constexpr ReadaheadRules kPreviousIsLastPage = 8;
/// Up to 6.12, but for 6.1, 6.6 and 6.12, which are maintained for long and have the mend: after a request beyond the largest window the next window may be smaller.
inline constexpr ReadaheadRules kWindowMayShrink = 16;

/// Up to 6.15, where it was not mended later: a foreign mark with no page missing within reach behind it starts a window at the last page looked at.
/// Later it starts none.
inline constexpr ReadaheadRules kLastIsMissing = 32;

inline constexpr ReadaheadRules kAllReadaheadRules = 63;

/// What a kernel of that release most likely follows: 1000 x its first number + its second. 0: not known, and taken for the newest.
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
