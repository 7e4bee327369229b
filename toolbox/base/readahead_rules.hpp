// SPDX-License-Identifier: MIT
// readahead_rules: the rules of the kernel's read-ahead that differ between releases, as bits of one number for recordings and shared memory.
//
// Source: mm/readahead.c and mm/filemap.c of the named releases. Distributions apply single changes to older releases, so the release number is only a first
// guess. The rules that a kernel really follows can be found from the pages that it reads (microbench, estimate/readahead_rules.hpp).
#pragma once

#include <cstdint>

namespace gray::base {

/// A set of the rules below. The empty set means the behaviour since 6.17.
using ReadaheadRules = std::uint32_t;

/// Up to 6.16: a window that is read ahead ends anywhere. Later it ends at a folio's border, with any size of folios.
inline constexpr ReadaheadRules kWindowEndsAnywhere = 1;
/// Up to 6.10: a miss at the place where the next window would begin continues with that window, though no page was marked there.
inline constexpr ReadaheadRules kMissGoesOn = 2;
/// 5.12 to 6.5: within one call, a page counts as the successor of the page before it. In later and in earlier releases it counts as the successor of the last page of the last
/// call.
inline constexpr ReadaheadRules kPreviousByPage = 4;
/// Up to 5.11: the kernel remembers the page of the last byte read. Later, after a read that ends with a page, it remembers the page behind it.
inline constexpr ReadaheadRules kPreviousIsLastPage = 8;
/// Up to 6.12, but for 6.1, 6.6 and 6.12, which are long-term releases and have the correction: after a request beyond the largest window the next window may be smaller.
inline constexpr ReadaheadRules kWindowMayShrink = 16;

/// Up to 6.15, except releases that got the correction: a mark of another reader, with no missing page within the read-ahead window behind it, starts a window
/// at the last page examined. Later such a mark starts no window.
inline constexpr ReadaheadRules kLastIsMissing = 32;

inline constexpr ReadaheadRules kAllReadaheadRules = 63;

/// The rules that a kernel of that release most likely follows. The release is 1000 x its first number + its second. 0 means unknown, and is taken for the newest.
constexpr ReadaheadRules rules_of_release(int release) {
  if (release == 0 || release >= 6017) return 0;
  if (release >= 6011) return kWindowEndsAnywhere;  // the long-term release 6.12 has the correction
  constexpr ReadaheadRules kOfOneFunction = kWindowEndsAnywhere | kLastIsMissing | kMissGoesOn;
  if (release >= 6006) return kOfOneFunction;
  if (release >= 6000) return kOfOneFunction | kPreviousByPage;
  if (release >= 5012) return kOfOneFunction | kPreviousByPage | kWindowMayShrink;
  return kOfOneFunction | kPreviousIsLastPage | kWindowMayShrink;
}

}  // namespace gray::base
