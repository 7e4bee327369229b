// SPDX-License-Identifier: MIT
// merge: the second pass: sorted runs become one sorted file.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

namespace fastsort {

inline constexpr std::size_t kMergeBufferBytes = 256U << 10U;  // of each run

/// Merges the runs into `output`, which has this name, and closes them.
void merge_runs(const std::vector<int>& runs, std::FILE* output, const std::string& name);

}  // namespace fastsort
