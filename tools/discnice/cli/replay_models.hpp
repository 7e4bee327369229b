// SPDX-License-Identifier: MIT
// replay_models: runs the models of predictor/ and a policy over the records of a job, as the preload library ran them in the job's processes.
//
// Each process has models of its own. A forked process begins with a copy of its parent's models. The kernel's answers about the page cache are
// taken from the recording. A question that the recording does not have is answered by ReplayCache and counted.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "tools/discnice/cli/replay_cache.hpp"
#include "tools/discnice/contract/grant.hpp"
#include "tools/discnice/policy/policy.hpp"
#include "tools/discnice/predictor/predictor.hpp"
#include "tools/discnice/protocol/layout.hpp"
#include "tools/discnice/protocol/ring.hpp"

namespace discnice::cli {

/// The sums over all calls of one class.
struct ReplayedClass {
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;
  std::uint64_t predicted_read_bytes = 0;  // by the models of this program
  std::uint64_t predicted_write_bytes = 0;
  std::uint64_t refunded_bytes = 0;
  std::uint64_t recorded_read_bytes = 0;  // by the models that made the recording
  std::uint64_t recorded_write_bytes = 0;
  std::uint64_t recorded_refunded_bytes = 0;
  std::uint64_t kernel_read_bytes = 0;
  std::uint64_t kernel_write_bytes = 0;
};

struct Replayed {
  ReplayedClass classes[protocol::kCallClassCount];
  std::uint64_t operations = 0;
  std::uint64_t unfinished = 0;  // operations without an outcome: their process was killed during the call
  std::uint64_t processes = 0;
  std::uint64_t guessed_answers = 0;
  std::uint64_t first_ns = 0;  // the time of the first operation
  std::uint64_t last_ns = 0;
  std::uint64_t waited_ns = 0;          // how long the policy would have made all processes wait
  std::uint64_t waited_longest_ns = 0;  // the same for the process that waited longest
  std::optional<protocol::EndRecord> end;
};

/// Takes checked records in the order of the file.
class ReplayModels {
 public:
  /// `recorded` is the limit under which the recording was made. `grant` is the limit to be tried. `disabled_models` is as in JobOptions.
  ReplayModels(const Grant& recorded, const Grant& grant, std::uint32_t disabled_models);

  void take(const protocol::TakenRecord& record);
  [[nodiscard]] Replayed result() const;

 private:
  struct OpenFile {
    std::uint32_t opening = 0;
    predictor::FileState state;
    predictor::ReadaheadLimits device_limits;
  };
  struct Process {
    std::map<std::uint32_t, OpenFile> files;  // by descriptor
    std::unique_ptr<predictor::CacheShape> shape;
    // How much later than recorded the next operation of the process begins. The number is modulo 2^64, because the operation may begin earlier.
    std::uint64_t later_ns = 0;
    std::uint64_t went_then_ns = 0;  // when its last operation began under the recorded limit
    std::uint64_t waited_ns = 0;     // the waits of the process, and of its parents before the fork
    std::uint64_t used_at = 0;       // the count of records at its last use
  };
  struct Admission {
    Grant grant;
    policy::State state = {};
    bool is_first = true;
    std::uint64_t wait_ns(const IoEstimate& estimate, std::uint64_t now_ns);
  };
  using Answers = std::vector<protocol::RecordedAnswer>;
  class RecordedOracle;

  void take_operation(const protocol::OperationRecord& record);
  void take_answers(const protocol::AnswersRecord& record);
  void take_outcome(const protocol::OutcomeRecord& record);
  void take_advice(const protocol::AdviceRecord& record);
  void take_process(const protocol::ProcessRecord& record);
  Answers answers_of(const protocol::OperationRecord& record);
  Process& process_of(std::uint32_t pid);
  static OpenFile& file_of(Process& process, std::uint32_t descriptor, std::uint32_t opening,
                           const predictor::ReadaheadLimits& limits);
  IoEstimate estimate(Process& process, const protocol::OperationRecord& record, const IoOp& op);
  IoEstimate estimate_transfer(Process& process, const protocol::OperationRecord& record, const IoOp& op);
  void admit(Process& process, const IoEstimate& estimate, const protocol::OperationRecord& record);
  predictor::DirtyData dirty();

  std::uint32_t disabled_models_;
  Admission then_;
  Admission now_;
  Replayed sum_;
  std::uint64_t finished_ = 0;
  std::uint64_t records_ = 0;
  std::map<std::uint32_t, Process> processes_;
  std::map<std::uint64_t, Answers> early_answers_;  // by the number of their operation
  std::uint64_t early_answer_count_ = 0;
  ReplayCache cache_;
  // The dirty data of the whole job; null while nothing has been written.
  std::unique_ptr<predictor::DirtyData::Memory> dirty_memory_;
};

}  // namespace discnice::cli
