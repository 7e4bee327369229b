// SPDX-License-Identifier: MIT
// merge: the second phase: merges sorted runs into one sorted file.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

namespace fastsort {

inline constexpr std::size_t kMergeBufferBytes = 256U << 10U;  // the buffer of each run

/// Merges the runs into `output`, which has this name, and closes them.
void merge_runs(const std::vector<int>& runs, std::FILE* output, const std::string& name);

}  // namespace fastsort
