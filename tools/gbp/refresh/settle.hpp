// SPDX-License-Identifier: MIT
// settle: after the exchange, in either direction, merges the changes that were made in the sibling into the directory, and removes from the sibling the files that the directory
// holds as well.
//
// The rule: a file that is still as the journal recorded it is not needed, since the other file of the pair held the same content then. Any other file contains
// changes that somebody made. It is moved into the directory if the directory has the recorded file, or no file, under its name. Otherwise both files stay
// where they are, and a message tells the person. So no change is discarded, and the process always ends.
#pragma once

#include <cstddef>
#include <string>

#include "tools/gbp/refresh/journal.hpp"
#include "tools/gbp/refresh/place.hpp"

namespace gbp::refresh_parts {

struct Settled {
  bool is_just_exchanged = false;  // exchanged by this process, after it had checked the directory

  std::size_t merged = 0;  // files moved from the sibling into the directory
  std::size_t kept = 0;    // files that could not be merged; they are named on stderr
};

/// Merges and cleans up. At the end neither sibling nor journal is left, except for files that could not be merged, which stay in the sibling. Returns what went wrong, or an
/// empty text. After an error it can be called again.
std::string settle(const Workplace& place, Journal& journal, Settled& settled);

/// Used before the exchange back: removes from the sibling, which is the old directory, the files that were removed from the directory since the exchange. Returns what went
/// wrong, or an empty text.
std::string hand_back_removals(const Workplace& place, const Journal& journal);

}  // namespace gbp::refresh_parts
