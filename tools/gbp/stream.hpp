// SPDX-License-Identifier: MIT
// stream: one file to standard output, its cached parts first.
//
// Knowledge assumed: the kernel's read-ahead fetches beyond the part being read, up to the device's window, and what it
// fetches of the next part pushes out cached parts whose turn is still to come. Observed: nothing more than the plan.
// Inferred: parts that are not cached are fetched by requests of exactly their own bytes, some pieces ahead of the reading,
// while reads of this descriptor are said to be random, so that they fetch nothing themselves. For a slow reader they are
// fetched while it works on the cached ones (overlap.hpp) and passed on as they come; where the cache is full, they are
// dropped after that (fullness.hpp). What breaks it: a file system that takes no such requests (it reads page by page then:
// slow, never wrong), or no reads that do not wait (nothing is passed on early then).
#pragma once

#include <cstdint>
#include <string>

#include "tools/gbp/cost.hpp"
#include "tools/gbp/outlet.hpp"

namespace gbp {

/// Writes all bytes of `path` to stdout in units of the best order; `whole` says what does not come out in two
/// pieces; records are of `record_bytes` (0: no records). Says what is wrong on stderr; returns the exit status.
int stream_file(const std::string& path, Whole whole, std::uint64_t record_bytes, const Wanted& wanted);

/// Prints a line for each unit of each file in the best order, instead of the file: offset, length, cached share and name,
/// separated by blanks; or as JSON objects. Files that can't be looked at are said on stderr and make it return 1.
int print_ranges(const Names& names, bool is_json, char end, const Wanted& wanted);

}  // namespace gbp
