// SPDX-License-Identifier: MIT
// verification: used under `discnice verify`. It sums up, for each class of calls, the predicted bytes and the bytes that the kernel booked.
//
// Knowledge assumed: getrusage(RUSAGE_THREAD) grows during a call by what that call made the kernel read and made dirty.
// Output observed: its growth from just before the call to just after.
// Inference drawn: none; this is the judge.
// What breaks it: a signal handler that does I/O of its own during the call.
#pragma once

#include <cstdint>

#include "tools/discnice/contract/io_estimate.hpp"
#include "tools/discnice/job/job.hpp"

namespace discnice::guest {

/// The bytes that the kernel has booked to the calling thread.
struct ThreadAccount {
  std::uint64_t read_bytes = 0;
  std::uint64_t write_bytes = 0;
  std::int64_t sleeps = -1;  // how often it waited for something; -1: the kernel does not tell
};

inline bool is_verifying(const Job& job) {
  return job.segment->options.is_verifying != 0;
}

/// One system call.
ThreadAccount read_thread_account();

/// Counts a call and its prediction. To be called only while verifying.
void note_class_prediction(Job& job, protocol::CallClass call_class, const IoEstimate& estimate);

/// Counts the bytes that a call moved, and the bytes that the kernel booked for it.
void note_class_outcome(Job& job, protocol::CallClass call_class, std::uint64_t bytes,
                        const ThreadAccount& booked);

}  // namespace discnice::guest
