// SPDX-License-Identifier: MIT
// settle: after the exchange, whichever way, merges what was changed meanwhile in the sibling into the directory, and removes
// of the sibling what the directory holds as well.
//
// The rule: a file that is still as the journal recorded it may be removed, because the other one of the two files held the same data then. Any other file is somebody's work. It
// goes into the directory where that has the recorded one, or nothing, under its name;
// else both stay where they are, and the person is told. So nothing is discarded, and there is always an end.
#pragma once

#include <cstddef>
#include <string>

#include "tools/gbp/refresh/journal.hpp"
#include "tools/gbp/refresh/place.hpp"

namespace gbp::refresh_parts {

struct Settled {
  bool is_just_exchanged = false;  // by this process, after it had seen the directory whole

  std::size_t merged = 0;  // from the sibling into the directory
  std::size_t kept = 0;    // could not be merged: named on stderr
};

/// Does this to the end: then neither sibling nor journal is left, except for files that could not be merged, which stay in the sibling. Returns what went wrong, or an empty
/// text. In the first case it can be called again.
std::string settle(const Workplace& place, Journal& journal, Settled& settled);

/// Before the exchange back: removes from the sibling, which is the old directory, the files that somebody has removed
/// from the directory since the exchange. Returns what went wrong, or an empty text.
std::string hand_back_removals(const Workplace& place, const Journal& journal);

}  // namespace gbp::refresh_parts
