// SPDX-License-Identifier: MIT
// profiling: used under `discnice run --profile`. It sends the call stack of each call that will cost the disk something, with the predicted cost, and the memory places of the
// code in the stack. The launcher finds the names after the run.
#pragma once

#include "tools/discnice/contract/io_estimate.hpp"
#include "tools/discnice/job/job.hpp"

namespace discnice::guest {

inline bool is_profiling(const Job& job) {
  return job.ring != nullptr && (job.segment->options.recorded & protocol::kRecordStacks) != 0;
}

/// To be called only while profiling, for calls with a cost. Keeps errno. Takes some microseconds.
void profile_call(Job& job, const IoEstimate& estimate);

}  // namespace discnice::guest
