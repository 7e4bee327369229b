// SPDX-License-Identifier: MIT
// profiling: while `discnice run --profile` looks on, sends the call stack of each call that will cost the disk something, with what
// it is predicted to cost, and the places of the code it leads through. Names are found by the launcher, after the run.
#pragma once

#include "tools/discnice/contract/io_estimate.hpp"
#include "tools/discnice/job/job.hpp"

namespace discnice::guest {

inline bool is_profiling(const Job& job) {
  return job.ring != nullptr && (job.segment->options.recorded & protocol::kRecordStacks) != 0;
}

/// Call while profiling only, for calls with a cost. Keeps errno. Some microseconds.
void profile_call(Job& job, const IoEstimate& estimate);

}  // namespace discnice::guest
