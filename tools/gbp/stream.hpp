// SPDX-License-Identifier: MIT
// stream: writes one file to standard output, its cached parts first.
//
// Knowledge assumed: the kernel's read-ahead fetches beyond the part that is read, up to the device's window. When it fetches pages of the next part, cached
// parts that are still to be read are evicted.
// Output observed: nothing except the plan of the parts.
// Inference drawn: parts that are not cached are requested with exactly their own bytes, some pieces ahead of the reading. The descriptor's reads are declared random, so that
// they fetch no page beyond them. For a slow reader the missing parts are fetched while it works on the cached parts (overlap.hpp), and are passed on as they come. If the cache
// is full, they are dropped after that (fullness.hpp).
// What breaks it: a file system that ignores such requests. There each page is read by itself, which is slow but correct. A file system without non-waiting
// reads (RWF_NOWAIT): then no part is passed on early.
#pragma once

#include <cstdint>
#include <string>

#include "tools/gbp/cost.hpp"
#include "tools/gbp/outlet.hpp"

namespace gbp {

/// Writes all bytes of `path` to stdout in units of the best order; `whole` says whether lines or records are kept whole; a record has `record_bytes` bytes (0: no records).
/// Prints errors on stderr; returns the exit status.
int stream_file(const std::string& path, Whole whole, std::uint64_t record_bytes, const Wanted& wanted);

/// Instead of the data, prints a line for each unit of each file in the best order: offset, length, cached share and name, separated by blanks; or a JSON object. For a file that
/// cannot be examined it prints a line on stderr, and returns 1.
int print_ranges(const Names& names, bool is_json, char end, const Wanted& wanted);

}  // namespace gbp
