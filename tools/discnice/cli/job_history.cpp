// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/job_history.hpp"

#include <algorithm>
#include <tuple>

#include "tools/discnice/contract/io_op.hpp"

namespace discnice::cli {
namespace {

using protocol::RecordType;

constexpr std::uint64_t kFirstSpanNs = 1'000'000;
// When a job has more spans than this, neighbouring spans are joined in pairs.
constexpr std::size_t kSpansMax = 8192;
// A call whose process is killed during the call never ends. When there are more open calls than this, the oldest call is forgotten.
constexpr std::size_t kCallsMax = 65536;
constexpr std::size_t kProcessesMax = 65536;
constexpr std::size_t kFilesMax = 1U << 20U;
// The longest duration of a job. A later time counts as the end of this duration, a time before the beginning as the beginning.
constexpr std::uint64_t kDurationNsMax = UINT64_C(1) << 56U;

template <typename Record>
const Record& as(const protocol::TakenRecord& record) {
  return reinterpret_cast<const Record&>(record.bytes);
}

bool is_transfer(std::uint8_t kind) {
  return static_cast<OpKind>(kind) == OpKind::read || static_cast<OpKind>(kind) == OpKind::write;
}

void halve(std::vector<HistorySpan>& spans) {
  for (std::size_t i = 0; i < spans.size(); i += 2) {
    HistorySpan sum = spans[i];
    if (i + 1 < spans.size()) {
      sum.bytes += spans[i + 1].bytes;
      sum.waited_ns += spans[i + 1].waited_ns;
    }
    spans[i / 2] = sum;
  }
  spans.resize((spans.size() + 1) / 2);
}

}  // namespace

DiskBytes& DiskBytes::operator+=(const DiskBytes& other) {
  predicted_read += other.predicted_read;
  predicted_write += other.predicted_write;
  refunded += other.refunded;
  kernel_read += other.kernel_read;
  kernel_write += other.kernel_write;
  return *this;
}

DiskBytes JobHistory::all() const {
  DiskBytes sum;
  for (const ClassHistory& one : classes) sum += one.bytes;
  return sum;
}

void HistoryMaker::take(const protocol::TakenRecord& record) {
  switch (static_cast<RecordType>(record.head().type)) {
    case RecordType::operation:
      return take_operation(as<protocol::OperationRecord>(record));
    case RecordType::outcome:
      return take_outcome(as<protocol::OutcomeRecord>(record));
    case RecordType::advice:
      return see(as<protocol::AdviceRecord>(record).time_ns);
    case RecordType::process:
      return take_process(as<protocol::ProcessRecord>(record));
    case RecordType::name: {
      const auto& name = as<protocol::NameRecord>(record);
      file_of({name.device, name.inode}).name = name.path;
      return;
    }
    case RecordType::command:
      history_.command_line = as<protocol::CommandRecord>(record).text;
      return;
    case RecordType::wait: {
      const auto& wait = as<protocol::WaitRecord>(record);
      return add_wait(wait.start_ns, wait.waited_ns);
    }
    case RecordType::end:
      history_.end = as<protocol::EndRecord>(record);
      return;
    case RecordType::answers:
    case RecordType::none:
      return;
  }
}

FileHistory& HistoryMaker::file_of(const FileKey& key) {
  // All files beyond the limit share one entry without a name.
  const bool is_known = files_.size() < kFilesMax || files_.count(key) != 0;
  FileHistory& file = files_[is_known ? key : FileKey{0, 0}];
  if (is_known) std::tie(file.device, file.inode) = key;
  return file;
}

void HistoryMaker::see(std::uint64_t time_ns) {
  if (first_ns_ == 0) first_ns_ = last_ns_ = time_ns;
  if (time_ns >= first_ns_) last_ns_ = std::max(last_ns_, std::min(time_ns, first_ns_ + kDurationNsMax));
}

HistorySpan& HistoryMaker::span_at(std::uint64_t time_ns) {
  see(time_ns);
  if (span_ns_ == 0) span_ns_ = kFirstSpanNs;
  const std::uint64_t since_ns = std::min(time_ns, last_ns_) - std::min(time_ns, first_ns_);
  while (since_ns / span_ns_ >= kSpansMax) {
    halve(spans_);
    span_ns_ *= 2;
  }
  const std::size_t index = since_ns / span_ns_;
  if (index >= spans_.size()) spans_.resize(index + 1);
  return spans_[index];
}

// Divides a wait among the spans of time in which the wait lies.
void HistoryMaker::add_wait(std::uint64_t start_ns, std::uint64_t waited_ns) {
  history_.waited_ns += waited_ns;
  see(start_ns);
  const std::uint64_t end_ns = std::min(start_ns + waited_ns, first_ns_ + kDurationNsMax);
  span_at(end_ns);  // the spans are wide enough from here on
  for (std::uint64_t at_ns = std::max(start_ns, first_ns_); at_ns < end_ns;) {
    const std::uint64_t next_ns = first_ns_ + ((at_ns - first_ns_) / span_ns_ + 1) * span_ns_;
    span_at(at_ns).waited_ns += std::min(next_ns, end_ns) - at_ns;
    at_ns = next_ns;
  }
}

// A process that executes another program is still the same process.
void HistoryMaker::take_process(const protocol::ProcessRecord& record) {
  see(record.time_ns);
  const auto event = static_cast<protocol::ProcessEvent>(record.event);
  const bool was_there = running_.erase(record.head.pid) != 0;
  if (event == protocol::ProcessEvent::left) return;
  if (running_.size() < kProcessesMax) running_.insert(record.head.pid);
  if (event != protocol::ProcessEvent::started || !was_there) ++history_.processes;
}

void HistoryMaker::take_operation(const protocol::OperationRecord& record) {
  const DiskBytes bytes{record.predicted_read_bytes, record.predicted_write_bytes, record.refunded_bytes};
  const std::uint64_t asked_ns = record.time_ns + record.since_ns % (protocol::kRecordedSinceNsMax + 1);
  const FileKey file{record.device, record.inode};
  FileHistory& one = file_of(file);
  ++one.calls;
  one.bytes += bytes;
  ClassHistory& sums = history_.classes[record.call_class];
  if (static_cast<OpKind>(record.kind) != OpKind::settle) ++sums.calls;
  sums.bytes += bytes;
  span_at(asked_ns).bytes += bytes;
  if (!is_transfer(record.kind)) return;
  if (calls_.size() >= kCallsMax) calls_.erase(calls_.begin());
  calls_[record.number] = {file, asked_ns};
}

void HistoryMaker::take_outcome(const protocol::OutcomeRecord& record) {
  const DiskBytes bytes{0, 0, 0, record.kernel_read_bytes, record.kernel_write_bytes};
  ClassHistory& sums = history_.classes[record.call_class];
  // A copy consists of two operations and counts as one call.
  const bool is_second_side = record.call_class == static_cast<std::uint8_t>(protocol::CallClass::copy) &&
                              static_cast<OpKind>(record.kind) == OpKind::write;
  if (record.result > 0 && !is_second_side) sums.moved_bytes += static_cast<std::uint64_t>(record.result);
  sums.bytes += bytes;
  history_.largest_bytes = std::max(history_.largest_bytes, bytes.kernel());
  const auto call = calls_.find(record.number);
  const bool is_known = record.number != 0 && call != calls_.end();
  std::uint64_t went_ns = record.went_ns;
  if (went_ns == 0) went_ns = is_known ? call->second.asked_ns : last_ns_;
  span_at(went_ns).bytes += bytes;
  if (!is_known) return;
  file_of(call->second.file).bytes += bytes;
  calls_.erase(call);
}

JobHistory HistoryMaker::result() const {
  JobHistory history = history_;
  history.duration_ns = last_ns_ - first_ns_;
  history.span_ns = span_ns_;
  history.spans = spans_;
  for (const auto& [key, file] : files_)
    if (file.calls != 0) history.files.push_back(file);
  std::stable_sort(
      history.files.begin(), history.files.end(),
      [](const FileHistory& a, const FileHistory& b) { return a.bytes.kernel() > b.bytes.kernel(); });
  return history;
}

}  // namespace discnice::cli
