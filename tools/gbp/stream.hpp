// SPDX-License-Identifier: MIT
// stream: writes one file to standard output, its cached parts first.
//
// Knowledge assumed: the kernel's read-ahead fetches beyond the part that is read, up to the device's window. The pages of the next part that it fetches push out cached parts
// whose turn is still to come.
// Output observed: nothing more than the plan.
// Inference drawn: parts that are not cached are requested by exactly their own bytes, some pieces ahead of the reading. The descriptor's reads are declared
// random, so that they fetch nothing beyond. For a slow reader the missing parts are
// fetched while it works on the cached ones (overlap.hpp), and passed on as they come. If the cache is full, their pages are dropped after that (fullness.hpp).
// What breaks it: a file system that takes no such requests; then each page is read by itself, which is slow and never wrong. And a file system without reads that do
// not wait; then nothing is passed on early.
#pragma once

#include <cstdint>
#include <string>

#include "tools/gbp/cost.hpp"
#include "tools/gbp/outlet.hpp"

namespace gbp {

/// Writes all bytes of `path` to stdout in units of the best order. `whole` says which pieces are never split. Records have `record_bytes` bytes (0: no records). Reports errors
/// on stderr. Returns the exit status.
int stream_file(const std::string& path, Whole whole, std::uint64_t record_bytes, const Wanted& wanted);

/// Prints a line for each unit of each file in the best order, instead of the file: offset, length, cached share and name,
/// separated by blanks; or as JSON objects. Files that can't be looked at are said on stderr and make it return 1.
int print_ranges(const Names& names, bool is_json, char end, const Wanted& wanted);

}  // namespace gbp
