// SPDX-License-Identifier: MIT
// sibling: makes the new directory complete before it gets its name.
#pragma once

#include <string>

#include "tools/gbp/refresh/guard.hpp"
#include "tools/gbp/refresh/journal.hpp"
#include "tools/gbp/refresh/place.hpp"
#include "tools/gbp/refresh/survey.hpp"

namespace gbp::refresh_parts {

/// Fills the empty sibling: copies of the files in the survey's order, each forced to disk before the next; second links of
/// what is neither file nor folder; for each folder a symbolic link to the place where it will be found after the exchange.
/// Then compares everything. Returns what is wrong, or an empty text.
std::string fill_sibling(const Workplace& place, const Survey& found, const Guard& guard);

/// Writes to the journal what the complete sibling holds, and that it is complete.
std::string record_sibling(const Workplace& place, Journal& journal);

/// Removes a sibling that was never complete: only the names that were to be made there, which only gbp uses.
std::string remove_unfinished(const Workplace& place, const Journal& journal);

/// Exchanges the names of the directory and its sibling in one step, and forces that to disk.
std::string exchange(const Workplace& place);

}  // namespace gbp::refresh_parts
