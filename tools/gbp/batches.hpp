// SPDX-License-Identifier: MIT
// batches: runs a command on the ordered files, with as many at a time as its arguments may hold.
#pragma once

#include <string>
#include <vector>

#include "tools/gbp/cost.hpp"

namespace gbp {

/// Runs `command` with the paths of `files` behind it, in batches that respect the system's limit, one after the other.
/// Files that could not be looked at are passed as well: the command says better what is wrong with them. `has_waves`:
/// no batch holds cached files and others. Returns 0, 1 when a batch failed, 126 or 127 when the command can't be run.
int run_batches(const std::vector<std::string>& command, const std::vector<File>& files, bool has_waves);

/// How many bytes of names, with their NULs and pointers, fit behind these words in one command line.
std::size_t argument_room_bytes(const std::vector<std::string>& command);

/// Where the batches end, as indexes into files. Pure; for `run_batches`. `room_bytes` is for names, their NULs and pointers.
std::vector<std::size_t> batch_ends(const std::vector<File>& files, bool has_waves, std::size_t room_bytes);

}  // namespace gbp
