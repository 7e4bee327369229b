// SPDX-License-Identifier: MIT
// sibling: builds the new directory, which is complete before it gets its name.
#pragma once

#include <string>

#include "tools/gbp/refresh/guard.hpp"
#include "tools/gbp/refresh/journal.hpp"
#include "tools/gbp/refresh/place.hpp"
#include "tools/gbp/refresh/survey.hpp"

namespace gbp::refresh_parts {

/// Fills the empty sibling. Files are copied in the survey's order, each forced to disk before the next. Other objects that are no folders get a second link. For each folder it
/// makes a symbolic link to the folder's path after the exchange. Then it compares all entries. Returns what is wrong, or an empty text.
std::string fill_sibling(const Workplace& place, const Survey& found, const Guard& guard);

/// Records in the journal the content of the complete sibling, and that it is complete.
std::string record_sibling(const Workplace& place, Journal& journal);

/// Removes a sibling that was never complete: all names that were to be made there. Only gbp has used them.
std::string remove_unfinished(const Workplace& place, const Journal& journal);

/// Exchanges the names of directory and sibling in one atomic step, and forces that to disk.
std::string exchange(const Workplace& place);

}  // namespace gbp::refresh_parts
