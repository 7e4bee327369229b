// SPDX-License-Identifier: MIT
// profiling: for `discnice run --profile`. It sends the call stack of each call that will cost disk work, with the predicted cost, and the memory
// ranges of the code on that stack. The launcher finds the names after the run.
#pragma once

#include "tools/discnice/contract/io_estimate.hpp"
#include "tools/discnice/job/job.hpp"

namespace discnice::guest {

inline bool is_profiling(const Job& job) {
  return job.ring != nullptr && (job.segment->options.recorded & protocol::kRecordStacks) != 0;
}

/// Call this only while profiling, and only for calls with a cost. Keeps errno. Takes some microseconds.
void profile_call(Job& job, const IoEstimate& estimate);

}  // namespace discnice::guest
