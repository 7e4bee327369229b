// SPDX-License-Identifier: MIT
// verification: for `discnice verify`. It adds up, by class of call, the predicted bytes and the bytes that the kernel charged.
//
// Knowledge assumed: during a call, the counts of getrusage(RUSAGE_THREAD) grow by the data that the call made the
// kernel read and dirty.
// Output observed: the counts just before the call and just after it.
// Inference drawn: none.
// The predictions are compared with these numbers.
// What breaks it: a signal handler that does I/O of its own during the call.
#pragma once

#include <cstdint>

#include "tools/discnice/contract/io_estimate.hpp"
#include "tools/discnice/job/job.hpp"

namespace discnice::guest {

/// What the kernel has charged to the calling thread.
struct ThreadAccount {
  std::uint64_t read_bytes = 0;
  std::uint64_t write_bytes = 0;
  std::int64_t sleeps = -1;  // how often the thread has waited for something; -1: the kernel does not tell
};

inline bool is_verifying(const Job& job) {
  return job.segment->options.is_verifying != 0;
}

/// Costs one system call.
ThreadAccount read_thread_account();

/// Counts a call and its prediction. Call this only while verifying.
void note_class_prediction(Job& job, protocol::CallClass call_class, const IoEstimate& estimate);

/// Counts the bytes that a call moved, and the bytes that the kernel charged for it.
void note_class_outcome(Job& job, protocol::CallClass call_class, std::uint64_t bytes,
                        const ThreadAccount& booked);

}  // namespace discnice::guest
