// SPDX-License-Identifier: MIT
// recording: for `discnice run --record`. It puts each file operation into the job's ring, with the answers that the models got, the predictions of
// the models, and the result of the operation. See protocol/record_format.hpp.
//
// Nothing here waits, allocates memory or can make the program fail. A record for which there is no room is left out and counted.
#pragma once

#include <cstdint>

#include "tools/discnice/contract/io_estimate.hpp"
#include "tools/discnice/contract/io_op.hpp"
#include "tools/discnice/descriptor/open_files.hpp"
#include "tools/discnice/job/job.hpp"
#include "tools/discnice/observe/verification.hpp"
#include "tools/discnice/predictor/residency_oracle.hpp"
#include "tools/discnice/protocol/record_format.hpp"

namespace discnice::guest {

inline bool is_recording(const Job& job) {
  return job.ring != nullptr && (job.segment->options.recorded & protocol::kRecordOperations) != 0;
}

/// Whether the kernel's account has to be read before and after each call.
inline bool is_measured(const Job& job) {
  return is_verifying(job) || is_recording(job);
}

/// The thread's account before a call, while the job is verified or recorded.
inline ThreadAccount account_if_measured(const Job* job) {
  return job != nullptr && is_measured(*job) ? read_thread_account() : ThreadAccount{};
}

/// Passes the models' questions on to their oracle during one operation, and notes each question and answer. Costs nothing while the job is not
/// recorded.
class AnswerLog {
 public:
  // cppcheck-suppress uninitMemberVar
  explicit AnswerLog(Job& job) : job_(job) {}
  AnswerLog(const AnswerLog&) = delete;
  AnswerLog& operator=(const AnswerLog&) = delete;

  /// The oracle to hand to the models. The log must live longer than the use of the oracle.
  predictor::ResidencyOracle listen(const predictor::ResidencyOracle& oracle);

  /// Records the operation with the answers given since listen(). Returns the operation's number, or 0 while the job is not recorded.
  std::uint64_t record(const IoOp& op, const OpenFile& file, int fd, bool is_copy, const IoEstimate& estimate,
                       std::uint64_t now_ns);

 private:
  static std::uint64_t count(void* context, std::uint64_t first_page, std::uint64_t page_count);
  static predictor::Answer probe(void* context, std::uint64_t page);
  static void note_fetch(void* context, std::uint64_t first_page, std::uint64_t page_count);
  void note(std::uint64_t first_page, std::uint64_t page_count, std::uint64_t answer);
  void flush();

  // Not initialised on purpose: it is half a kibibyte on the stack of every call, and is touched only while recording.
  Job& job_;
  bool is_listening_ = false;
  std::uint64_t number_;
  predictor::ResidencyOracle inner_;
  protocol::OperationRecord record_;
};

/// Records a removal, truncation or flush: an operation without questions about the page cache.
void record_operation(Job& job, const IoOp& op, const IoEstimate& estimate, std::uint64_t now_ns);

/// Records the outcome of a transfer. `number` comes from AnswerLog::record(), and is 0 when the transfer was not predicted. `went_ns` is the instant
/// of the call, or 0 when it is not known.
void record_outcome(Job& job, std::uint64_t number, OpKind kind, protocol::CallClass call_class,
                    std::int64_t result, const ThreadAccount& booked, std::uint64_t went_ns);

/// Records that a thread has waited from `start_ns` to `end_ns`.
void record_wait(Job& job, std::uint64_t start_ns, std::uint64_t end_ns);

/// Records a posix_fadvise() that succeeded.
void record_advice(Job& job, const OpenFile& file, int fd, int advice);

/// Records that this process has joined or is about to leave. For a forked process, `parent_pid` is the process whose memory it copied.
void record_process(Job& job, protocol::ProcessEvent event, std::uint32_t parent_pid);

}  // namespace discnice::guest
