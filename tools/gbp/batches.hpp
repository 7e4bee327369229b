// SPDX-License-Identifier: MIT
// batches: runs a command over the ordered files, with as many files at a time as a command line can hold.
#pragma once

#include <string>
#include <vector>

#include "tools/gbp/cost.hpp"

namespace gbp {

/// Runs `command` with the paths of `files` behind it, in batches within the system's limit, one batch after the other. Files that could not be examined are passed as well,
/// because the command itself reports their errors better. With `has_waves` no batch holds both cached files and other files. Returns 0; 1 if a batch failed;
/// 126 or 127 if the command cannot be run.
int run_batches(const std::vector<std::string>& command, const std::vector<File>& files, bool has_waves);

/// How many bytes of names, with their NULs and pointers, fit behind these words in one command line.
std::size_t argument_room_bytes(const std::vector<std::string>& command);

/// The ends of the batches, as indexes into `files`; for run_batches(). `room_bytes` is the room for names, their NULs and pointers. Pure.
std::vector<std::size_t> batch_ends(const std::vector<File>& files, bool has_waves, std::size_t room_bytes);

}  // namespace gbp
