// SPDX-License-Identifier: MIT
// sibling: the new directory, complete before it gets its name, and the old one, removed only when nothing needs it.
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

/// Exchanges the names of directory and sibling, in one step, and forces that to disk.
std::string exchange(const Workplace& place);

/// After the exchange: changes places, in one step each, of the folders that are still below `from` with the links that
/// stand for them below `to`. Both are forced to disk.
std::string move_folders(const Workplace& place, const std::string& from, const std::string& to);

/// Removes the sibling, which must have this i-number, and of which every name must exist in the directory too; never a
/// folder inside it.
std::string remove_sibling(const Workplace& place, std::uint64_t inode);

/// Gives the directory the times that the journal kept.
std::string restore_times(const Workplace& place, const Journal& journal);

}  // namespace gbp::refresh_parts
