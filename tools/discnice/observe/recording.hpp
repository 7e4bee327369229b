// SPDX-License-Identifier: MIT
// recording: while `discnice run --record` looks on, puts each file operation, what the models were told and said of it, and what came of
// it into the job's ring. See protocol/record_format.hpp.
//
// Nothing here waits, allocates or can fail the program: a record that finds no room is left out and counted.
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

/// Calls whose kernel account has to be read before and after.
inline bool is_measured(const Job& job) {
  return is_verifying(job) || is_recording(job);
}

/// What the thread was booked before a call, while somebody looks on.
inline ThreadAccount account_if_measured(const Job* job) {
  return job != nullptr && is_measured(*job) ? read_thread_account() : ThreadAccount{};
}

/// Stands between the models and their oracle for one operation and notes each question and answer. Costs nothing while the job is
/// not recording.
class AnswerLog {
 public:
  // cppcheck-suppress uninitMemberVar
  explicit AnswerLog(Job& job) : job_(job) {}
  AnswerLog(const AnswerLog&) = delete;
  AnswerLog& operator=(const AnswerLog&) = delete;

  /// The oracle to hand to the models. This object must outlive its use.
  predictor::ResidencyOracle listen(const predictor::ResidencyOracle& oracle);

  /// Records the operation with the answers given since listen(); returns its number, 0 while the job is not recording.
  std::uint64_t record(const IoOp& op, const OpenFile& file, int fd, bool is_copy, const IoEstimate& estimate,
                       std::uint64_t now_ns);

 private:
  static std::uint64_t count(void* context, std::uint64_t first_page, std::uint64_t page_count);
  static predictor::Answer probe(void* context, std::uint64_t page);
  static void note_fetch(void* context, std::uint64_t first_page, std::uint64_t page_count);
  void note(std::uint64_t first_page, std::uint64_t page_count, std::uint64_t answer);
  void flush();

  // Not initialised on purpose: half a kibibyte on the stack of every call, touched only while recording.
  Job& job_;
  bool is_listening_ = false;
  std::uint64_t number_;
  predictor::ResidencyOracle inner_;
  protocol::OperationRecord record_;
};

/// Records a removal, truncation or flush: an operation without questions about the page cache.
void record_operation(Job& job, const IoOp& op, const IoEstimate& estimate, std::uint64_t now_ns);

/// Records what came of a transfer. `number` as from AnswerLog::record(), 0 when it was not predicted; `went_ns` is when the call was made, 0
/// when that is not known.
void record_outcome(Job& job, std::uint64_t number, OpKind kind, protocol::CallClass call_class,
                    std::int64_t result, const ThreadAccount& booked, std::uint64_t went_ns);

/// Records that a thread has waited since `start_ns`, until `end_ns`.
void record_wait(Job& job, std::uint64_t start_ns, std::uint64_t end_ns);

/// Records a posix_fadvise() that succeeded.
void record_advice(Job& job, const OpenFile& file, int fd, int advice);

/// Records that this process has joined (of a forked one: `parent_pid` whose memory it copied) or is about to leave.
void record_process(Job& job, protocol::ProcessEvent event, std::uint32_t parent_pid);

}  // namespace discnice::guest
