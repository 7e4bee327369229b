// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/replay_models.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

#include <fcntl.h>

#include "tools/discnice/policy/registry.hpp"
#include "tools/discnice/predictor/spliced_read.hpp"

namespace discnice::cli {
namespace {

using predictor::Answer;
using protocol::RecordType;

// The most processes whose models are kept, and the most answers that wait for their operation. Beyond these numbers, the oldest processes and
// answers are forgotten. Only the data of killed processes stays so long, because no record says that those processes have left.
constexpr std::size_t kProcessesMax = 1024;
constexpr std::uint64_t kEarlyAnswersMax = UINT64_C(1) << 21U;
constexpr std::size_t kFilesMax = 65536;  // the most descriptors of one process

template <typename Record>
const Record& as(const protocol::TakenRecord& record) {
  return reinterpret_cast<const Record&>(record.bytes);
}

std::uint64_t page_after(std::uint64_t end_bytes) {
  return (end_bytes + kPageBytes - 1) / kPageBytes;
}

IoOp op_of(const protocol::OperationRecord& record) {
  return {static_cast<OpKind>(record.kind),
          {record.device, record.inode},
          record.offset_bytes,
          record.length_bytes,
          record.file_size_bytes,
          (record.flags & protocol::kRecordedDirect) != 0,
          (record.flags & protocol::kRecordedSynchronous) != 0};
}

}  // namespace

// Answers from the recording when the same question was recorded. Otherwise answers from the pages that are resident by the recording's
// other answers.
class ReplayModels::RecordedOracle {
 public:
  RecordedOracle(const Answers& answers, const FileId& file, ReplayCache& cache, std::uint64_t& guessed)
      : answers_(answers), file_(file), cache_(cache), guessed_(guessed) {}

  predictor::ResidencyOracle oracle(protocol::RecordedOracle kind) {
    predictor::ResidencyOracle oracle;
    oracle.context = this;
    if (kind == protocol::RecordedOracle::counting) oracle.count_resident = count;
    if (kind == protocol::RecordedOracle::probing) oracle.probe = probe;
    oracle.note_fetch = note_fetch;
    return oracle;
  }

 private:
  using Question = std::pair<std::uint64_t, std::uint64_t>;

  static Question question_of(const protocol::RecordedAnswer& answer) {
    return {answer.first_page, answer.page_count};
  }

  // Returns the recorded answer. As a rule it is the next one.
  std::optional<std::uint32_t> find(const Question& question) {
    if (next_ < answers_.size() && question_of(answers_[next_]) == question)
      return answers_[next_++].resident_pages;
    if (by_question_.empty()) {
      for (const protocol::RecordedAnswer& answer : answers_)
        by_question_.emplace(question_of(answer), answer.resident_pages);
    }
    const auto found = by_question_.find(question);
    if (found != by_question_.end()) return found->second;
    ++guessed_;
    return std::nullopt;
  }

  static std::uint64_t count(void* context, std::uint64_t first_page, std::uint64_t page_count) {
    auto& self = *static_cast<RecordedOracle*>(context);
    if (const auto recorded = self.find({first_page, page_count})) return *recorded;
    return self.cache_.count(self.file_, first_page, first_page + page_count);
  }

  static Answer probe(void* context, std::uint64_t page) {
    auto& self = *static_cast<RecordedOracle*>(context);
    const auto recorded = self.find({page, 0});
    if (!recorded) return self.cache_.count(self.file_, page, page + 1) != 0 ? Answer::hit : Answer::miss;
    if (*recorded == 2) return Answer::unknown;
    return *recorded == 1 ? Answer::hit : Answer::miss;
  }

  static void note_fetch(void* context, std::uint64_t first_page, std::uint64_t page_count) {
    auto& self = *static_cast<RecordedOracle*>(context);
    self.cache_.add(self.file_, first_page, first_page + page_count);
  }

  const Answers& answers_;
  FileId file_;
  ReplayCache& cache_;
  std::uint64_t& guessed_;
  std::size_t next_ = 0;
  std::map<Question, std::uint32_t> by_question_;
};

ReplayModels::ReplayModels(const Grant& recorded, const Grant& grant, std::uint32_t disabled_models)
    : disabled_models_(disabled_models), then_{recorded}, now_{grant} {}

void ReplayModels::take(const protocol::TakenRecord& record) {
  ++records_;
  switch (static_cast<RecordType>(record.head().type)) {
    case RecordType::operation:
      return take_operation(as<protocol::OperationRecord>(record));
    case RecordType::answers:
      return take_answers(as<protocol::AnswersRecord>(record));
    case RecordType::outcome:
      return take_outcome(as<protocol::OutcomeRecord>(record));
    case RecordType::advice:
      return take_advice(as<protocol::AdviceRecord>(record));
    case RecordType::process:
      return take_process(as<protocol::ProcessRecord>(record));
    case RecordType::end:
      sum_.end = as<protocol::EndRecord>(record);
      return;
    case RecordType::name:  // only people read these
    case RecordType::command:
    case RecordType::wait:
    case RecordType::none:
      return;
  }
}

ReplayModels::Process& ReplayModels::process_of(std::uint32_t pid) {
  if (processes_.size() >= kProcessesMax && processes_.count(pid) == 0) {
    processes_.erase(std::min_element(processes_.begin(), processes_.end(), [](const auto& a, const auto& b) {
      return a.second.used_at < b.second.used_at;
    }));
  }
  Process& process = processes_[pid];
  process.used_at = records_;
  if (process.shape == nullptr) process.shape = std::make_unique<predictor::CacheShape>();
  return process;
}

ReplayModels::OpenFile& ReplayModels::file_of(Process& process, std::uint32_t descriptor,
                                              std::uint32_t opening,
                                              const predictor::ReadaheadLimits& limits) {
  if (process.files.size() >= kFilesMax && process.files.count(descriptor) == 0) process.files.clear();
  OpenFile& file = process.files[descriptor];
  if (file.opening != opening) {
    file = OpenFile{};
    file.opening = opening;
    file.state.limits = file.device_limits = limits;
  }
  return file;
}

void ReplayModels::take_answers(const protocol::AnswersRecord& record) {
  if (early_answer_count_ + record.answer_count > kEarlyAnswersMax) {
    early_answers_.clear();  // their operations never came: the processes were killed
    early_answer_count_ = 0;
  }
  Answers& answers = early_answers_[record.number];
  answers.insert(answers.end(), record.answers, record.answers + record.answer_count);
  early_answer_count_ += record.answer_count + 1;
}

ReplayModels::Answers ReplayModels::answers_of(const protocol::OperationRecord& record) {
  Answers answers;
  if (const auto early = early_answers_.find(record.number); early != early_answers_.end()) {
    answers = std::move(early->second);
    early_answers_.erase(early);
    early_answer_count_ -= std::min<std::uint64_t>(early_answer_count_, answers.size());
  }
  answers.insert(answers.end(), record.answers, record.answers + record.answer_count);
  const FileId file{record.device, record.inode};
  for (const protocol::RecordedAnswer& answer : answers) {
    const std::uint64_t end_page = answer.first_page + std::max(answer.page_count, UINT32_C(1));
    const std::uint64_t full = std::max(answer.page_count, UINT32_C(1));
    if (answer.resident_pages == 0) {
      cache_.remove(file, answer.first_page, end_page);
    } else if (answer.resident_pages == full) {
      cache_.add(file, answer.first_page, end_page);
    }
  }
  return answers;
}

predictor::DirtyData ReplayModels::dirty() {
  if (dirty_memory_ == nullptr) dirty_memory_ = std::make_unique<predictor::DirtyData::Memory>();
  predictor::DirtyData dirty_data(*dirty_memory_);
  if (dirty_data.regions.wants_rest()) dirty_data.regions.allow_rest(true);
  return dirty_data;
}

IoEstimate ReplayModels::estimate_transfer(Process& process, const protocol::OperationRecord& record,
                                           const IoOp& op) {
  OpenFile& file = file_of(
      process, record.descriptor, record.opening,
      {record.window_pages_max, record.request_pages_max, record.folio_order_max, record.readahead_rules});
  const Answers answers = answers_of(record);
  RecordedOracle recorded(answers, op.file, cache_, sum_.guessed_answers);
  const predictor::ResidencyOracle oracle =
      (disabled_models_ & protocol::kWithoutCache) != 0
          ? predictor::ResidencyOracle{}
          : recorded.oracle(static_cast<protocol::RecordedOracle>(record.oracle));
  if (op.kind == OpKind::write) {
    if ((disabled_models_ & protocol::kWithoutWrites) != 0) return {.write_bytes = op.length_bytes};
    predictor::DirtyData dirty_data = dirty();
    return predictor::estimate_write(op, file.state, dirty_data.regions, oracle, record.time_ns);
  }
  if ((disabled_models_ & protocol::kWithoutReadahead) != 0)
    return predictor::estimate_read_alone(op, oracle);
  if ((record.flags & protocol::kRecordedCopy) != 0) {
    return predictor::estimate_spliced_read(op, protocol::kRecordedLengthBytesMax, file.state, *process.shape,
                                            oracle, record.time_ns);
  }
  return predictor::estimate_read(op, file.state, *process.shape, oracle, record.time_ns);
}

IoEstimate ReplayModels::estimate(Process& process, const protocol::OperationRecord& record, const IoOp& op) {
  const std::uint64_t first_page = op.offset_bytes / kPageBytes;
  if (op.kind == OpKind::settle) {
    predictor::DirtyData dirty_data = dirty();
    predictor::note_sent(op, dirty_data.regions, record.time_ns);
    return {};
  }
  if (op.kind == OpKind::create) {
    predictor::DirtyData dirty_data = dirty();
    return predictor::estimate_creation(op, dirty_data, record.time_ns);
  }
  if (op.kind == OpKind::read || op.kind == OpKind::write) {
    const IoEstimate estimate = estimate_transfer(process, record, op);
    std::uint64_t end_bytes = op.offset_bytes + op.length_bytes;
    if (op.kind == OpKind::read) end_bytes = std::min(end_bytes, op.file_size_bytes);
    if (!op.is_direct && end_bytes > op.offset_bytes) cache_.add(op.file, first_page, page_after(end_bytes));
    return estimate;
  }
  const std::uint64_t end_page =
      op.length_bytes == 0 ? UINT64_MAX : (op.offset_bytes + op.length_bytes) / kPageBytes;
  if (end_page > page_after(op.offset_bytes)) cache_.remove(op.file, page_after(op.offset_bytes), end_page);
  predictor::DirtyData dirty_data = dirty();
  return predictor::estimate_remove(op, dirty_data.regions, record.time_ns);
}

// Returns how long the policy makes an operation wait.
std::uint64_t ReplayModels::Admission::wait_ns(const IoEstimate& estimate, std::uint64_t now_ns) {
  const policy::Policy& policy = policy::policy_by_id(grant.policy_id);
  if (std::exchange(is_first, false)) state.paid_until_ns = now_ns;
  if (estimate.refund_bytes != 0)
    state = policy.correct(state, grant, -static_cast<std::int64_t>(estimate.refund_bytes), now_ns);
  const policy::Decision decision = policy.admit(state, grant, estimate.cost_bytes(), now_ns);
  state = decision.next;
  return decision.verdict.start_at_ns > now_ns ? decision.verdict.start_at_ns - now_ns : 0;
}

// The recorded times include the waits under the recorded limit. A model of the recorded limit computes these waits. A wait cannot be longer than
// the time to the process's next operation. The computed waits are taken out of the times, and the waits under the tried limit are put in.
void ReplayModels::admit(Process& process, const IoEstimate& estimate,
                         const protocol::OperationRecord& record) {
  const std::uint64_t time_ns = record.time_ns + record.since_ns;
  if (process.went_then_ns > time_ns) {
    const std::uint64_t early_ns = process.went_then_ns - time_ns;
    process.later_ns += early_ns;
    then_.state.paid_until_ns -= std::min(early_ns, then_.state.paid_until_ns);
  }
  const std::uint64_t then_ns = then_.wait_ns(
      {record.predicted_read_bytes, record.predicted_write_bytes, record.refunded_bytes}, time_ns);
  process.went_then_ns = time_ns + then_ns;
  const std::uint64_t wait_ns = now_.wait_ns(estimate, time_ns + process.later_ns);
  process.later_ns += wait_ns - then_ns;
  process.waited_ns += wait_ns;
  sum_.waited_ns += wait_ns;
  sum_.waited_longest_ns = std::max(sum_.waited_longest_ns, process.waited_ns);
}

void ReplayModels::take_operation(const protocol::OperationRecord& record) {
  ++sum_.operations;
  if (sum_.operations == 1) sum_.first_ns = sum_.last_ns = record.time_ns;
  sum_.last_ns = std::max(sum_.last_ns, record.time_ns);
  Process& process = process_of(record.head.pid);
  const IoOp op = op_of(record);
  const IoEstimate predicted = estimate(process, record, op);
  ReplayedClass& sums = sum_.classes[record.call_class];
  if (op.kind != OpKind::settle) ++sums.calls;
  sums.predicted_read_bytes += predicted.read_bytes;
  sums.predicted_write_bytes += predicted.write_bytes;
  sums.refunded_bytes += predicted.refund_bytes;
  sums.recorded_read_bytes += record.predicted_read_bytes;
  sums.recorded_write_bytes += record.predicted_write_bytes;
  sums.recorded_refunded_bytes += record.refunded_bytes;
  if (op.kind != OpKind::read && op.kind != OpKind::write)
    ++finished_;  // these operations are recorded when they are done
  admit(process, predicted, record);
}

void ReplayModels::take_outcome(const protocol::OutcomeRecord& record) {
  if (record.number != 0) ++finished_;
  ReplayedClass& sums = sum_.classes[record.call_class];
  // A copy consists of two operations and counts as one call.
  const bool is_second_side = record.call_class == static_cast<std::uint8_t>(protocol::CallClass::copy) &&
                              static_cast<OpKind>(record.kind) == OpKind::write;
  if (record.result > 0 && !is_second_side) sums.bytes += static_cast<std::uint64_t>(record.result);
  sums.kernel_read_bytes += record.kernel_read_bytes;
  sums.kernel_write_bytes += record.kernel_write_bytes;
}

void ReplayModels::take_advice(const protocol::AdviceRecord& record) {
  OpenFile& file = file_of(
      process_of(record.head.pid), record.descriptor, record.opening,
      {record.window_pages_max, record.request_pages_max, record.folio_order_max, record.readahead_rules});
  predictor::FileState& state = file.state;
  switch (record.advice) {
    case POSIX_FADV_NORMAL:
      return predictor::advise(state.readahead, state.limits, file.device_limits, predictor::Advice::normal);
    case POSIX_FADV_SEQUENTIAL:
      return predictor::advise(state.readahead, state.limits, file.device_limits,
                               predictor::Advice::sequential);
    case POSIX_FADV_RANDOM:
      return predictor::advise(state.readahead, state.limits, file.device_limits, predictor::Advice::random);
    case POSIX_FADV_DONTNEED:
      state.belief = predictor::Belief{};
      return;
    default:
      return;
  }
}

void ReplayModels::take_process(const protocol::ProcessRecord& record) {
  const auto event = static_cast<protocol::ProcessEvent>(record.event);
  const bool was_there = processes_.erase(record.head.pid) != 0;
  if (event == protocol::ProcessEvent::left) return;
  process_of(record.head.pid);
  const bool is_exec = event == protocol::ProcessEvent::started && was_there;
  if (!is_exec) ++sum_.processes;
  if (event != protocol::ProcessEvent::forked) return;
  Process& child = process_of(record.head.pid);
  const auto parent = processes_.find(record.parent_pid);
  if (parent == processes_.end() || &parent->second == &child) return;
  child.files = parent->second.files;
  child.later_ns = parent->second.later_ns;
  child.waited_ns = parent->second.waited_ns;
  // The object consists of plain words only. fork() copies such words byte by byte, too.
  std::memcpy(static_cast<void*>(child.shape.get()), parent->second.shape.get(),
              sizeof(predictor::CacheShape));
}

Replayed ReplayModels::result() const {
  Replayed result = sum_;
  result.unfinished = sum_.operations > finished_ ? sum_.operations - finished_ : 0;
  return result;
}

}  // namespace discnice::cli
