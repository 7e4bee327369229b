// SPDX-License-Identifier: MIT
#include "tools/discnice/observe/recording.hpp"

#include <fcntl.h>
#include <sys/syscall.h>

#include "toolbox/base/clock.hpp"
#include "toolbox/base/raw_sys.hpp"
#include "toolbox/base/short_text.hpp"
#include "tools/discnice/protocol/ring.hpp"

namespace discnice::guest {
namespace {

using predictor::Answer;
using predictor::ResidencyOracle;
using protocol::OperationRecord;
using protocol::RecordedAnswer;
using protocol::RecordType;

std::uint64_t smaller(std::uint64_t a, std::uint64_t b) {
  return a < b ? a : b;
}

template <typename Record>
void send(Job& job, Record& record, RecordType type, std::size_t bytes) {
  record.head.pid = job.pid;
  record.head.image = job.epoch;
  protocol::seal(record.head, static_cast<std::uint16_t>(type), bytes);
  protocol::put(*job.ring, record.head);
}

std::uint32_t window_of(std::uint64_t pages) {
  return static_cast<std::uint32_t>(smaller(pages, protocol::kRecordedWindowPagesMax));
}

std::uint64_t next_number(Job& job) {
  return job.ring->operations.fetch_add(1, std::memory_order_relaxed) + 1;
}

// Fills in the part that all operations have. The other fields stay unchanged.
void fill(OperationRecord& record, const IoOp& op, const IoEstimate& estimate, std::uint64_t now_ns) {
  record.time_ns = now_ns;
  record.since_ns =
      static_cast<std::uint32_t>(smaller(gray::base::monotonic_ns() - now_ns, protocol::kRecordedSinceNsMax));
  record.device = op.file.device;
  record.inode = op.file.inode;
  record.offset_bytes = op.offset_bytes;
  record.length_bytes = smaller(op.length_bytes, protocol::kRecordedLengthBytesMax);
  record.file_size_bytes = op.file_size_bytes;
  record.predicted_read_bytes = estimate.read_bytes;
  record.predicted_write_bytes = estimate.write_bytes;
  record.refunded_bytes = estimate.refund_bytes;
  record.kind = static_cast<std::uint8_t>(op.kind);
  record.flags = static_cast<std::uint8_t>((op.is_direct ? protocol::kRecordedDirect : 0U) |
                                           (op.is_synchronous ? protocol::kRecordedSynchronous : 0U));
}

protocol::CallClass class_of(OpKind kind, bool is_copy) {
  if (is_copy) return protocol::CallClass::copy;
  if (kind == OpKind::read) return protocol::CallClass::read;
  if (kind == OpKind::create) return protocol::CallClass::create;
  return kind == OpKind::write ? protocol::CallClass::write : protocol::CallClass::remove;
}

// The files whose names this process image has recorded. Each file has one place in the table. Several files share a place, and the newest of
// them is remembered. A forked child has a copy of its parent's table.
constexpr std::size_t kToldNames = 1024;
constinit std::atomic<std::uint64_t> told_names[kToldNames];

bool is_name_told(const FileId& file) {
  const std::uint64_t mixed =
      (file.device * UINT64_C(0x9e3779b97f4a7c15) ^ file.inode) * UINT64_C(0xd6e8feb86659fd93);
  const std::uint64_t mark = mixed | 1;
  return told_names[mixed >> 54U].exchange(mark, std::memory_order_relaxed) == mark;
}

// The kernel knows the name behind a descriptor. A file without a name, or whose name was not recorded, is only a number in the recording.
__attribute__((noinline)) void tell_name(Job& job, const FileId& file, int fd) {
  if (fd < 0 || is_name_told(file)) return;
  char link[48];
  char* const end = gray::base::append_number(gray::base::append_text(link, "/proc/self/fd/"),
                                              static_cast<std::uint64_t>(fd));
  *end = '\0';
  protocol::NameRecord record{};
  const long bytes =
      gray::base::raw_syscall(SYS_readlinkat, AT_FDCWD, gray::base::word(link), gray::base::word(record.path),
                              static_cast<long>(sizeof record.path - 1));
  if (gray::base::is_raw_error(bytes) || bytes <= 0) return;
  record.device = file.device;
  record.inode = file.inode;
  send(job, record, RecordType::name, protocol::kNameFixedBytes + static_cast<std::size_t>(bytes) + 1);
}

}  // namespace

ResidencyOracle AnswerLog::listen(const ResidencyOracle& oracle) {
  if (!is_recording(job_)) return oracle;
  is_listening_ = true;
  number_ = next_number(job_);
  inner_ = oracle;
  record_.answer_count = 0;
  record_.oracle = static_cast<std::uint8_t>(protocol::RecordedOracle::none);
  ResidencyOracle listening;
  listening.context = this;
  if (oracle.count_resident != nullptr) {
    listening.count_resident = count;
    record_.oracle = static_cast<std::uint8_t>(protocol::RecordedOracle::counting);
  } else if (oracle.probe != nullptr) {
    record_.oracle = static_cast<std::uint8_t>(protocol::RecordedOracle::probing);
  }
  if (oracle.probe != nullptr) listening.probe = probe;
  if (oracle.note_fetch != nullptr) listening.note_fetch = note_fetch;
  return listening;
}

std::uint64_t AnswerLog::count(void* context, std::uint64_t first_page, std::uint64_t page_count) {
  auto& self = *static_cast<AnswerLog*>(context);
  const std::uint64_t resident = self.inner_.count_resident(self.inner_.context, first_page, page_count);
  self.note(first_page, page_count, resident);
  return resident;
}

Answer AnswerLog::probe(void* context, std::uint64_t page) {
  auto& self = *static_cast<AnswerLog*>(context);
  const Answer answer = self.inner_.probe(self.inner_.context, page);
  const std::uint64_t number = answer == Answer::hit ? 1 : 0;
  self.note(page, 0, answer == Answer::unknown ? 2 : number);
  return answer;
}

void AnswerLog::note_fetch(void* context, std::uint64_t first_page, std::uint64_t page_count) {
  auto& self = *static_cast<AnswerLog*>(context);
  self.inner_.note_fetch(self.inner_.context, first_page, page_count);
}

void AnswerLog::note(std::uint64_t first_page, std::uint64_t page_count, std::uint64_t answer) {
  if (record_.answer_count == protocol::kOperationAnswersMax) flush();
  record_.answers[record_.answer_count++] = {first_page,
                                             static_cast<std::uint32_t>(smaller(page_count, UINT32_MAX)),
                                             static_cast<std::uint32_t>(smaller(answer, UINT32_MAX))};
}

// The answers so far are recorded first, in a record of their own.
void AnswerLog::flush() {
  protocol::AnswersRecord record{};
  record.number = number_;
  record.answer_count = record_.answer_count;
  std::memcpy(record.answers, record_.answers, record_.answer_count * sizeof(RecordedAnswer));
  send(job_, record, RecordType::answers,
       protocol::kAnswersFixedBytes + record.answer_count * sizeof(RecordedAnswer));
  record_.answer_count = 0;
}

std::uint64_t AnswerLog::record(const IoOp& op, const OpenFile& file, int fd, bool is_copy,
                                const IoEstimate& estimate, std::uint64_t now_ns) {
  if (!is_listening_) return 0;
  tell_name(job_, op.file, fd);
  fill(record_, op, estimate, now_ns);
  record_.number = number_;
  record_.window_pages_max = window_of(file.device->limits.window_pages_max);
  record_.request_pages_max = window_of(file.device->limits.request_pages_max);
  record_.folio_order_max = static_cast<std::uint16_t>(file.device->limits.folio_order_max);
  record_.readahead_rules = static_cast<std::uint16_t>(file.device->limits.rules);
  record_.descriptor = static_cast<std::uint32_t>(fd);
  record_.opening = file.opening;
  record_.call_class = static_cast<std::uint8_t>(class_of(op.kind, is_copy));
  if (is_copy) record_.flags = static_cast<std::uint8_t>(record_.flags | protocol::kRecordedCopy);
  const std::size_t bytes = protocol::kOperationFixedBytes + record_.answer_count * sizeof(RecordedAnswer);
  const std::size_t slots_end =
      (bytes + protocol::kSlotBytes - 1) / protocol::kSlotBytes * protocol::kSlotBytes;
  std::memset(reinterpret_cast<unsigned char*>(&record_) + bytes, 0, slots_end - bytes);
  send(job_, record_, RecordType::operation, bytes);
  return number_;
}

void record_operation(Job& job, const IoOp& op, const IoEstimate& estimate, std::uint64_t now_ns) {
  if (!is_recording(job)) return;
  OperationRecord record{};
  fill(record, op, estimate, now_ns);
  record.number = next_number(job);
  record.call_class = static_cast<std::uint8_t>(class_of(op.kind, false));
  send(job, record, RecordType::operation, protocol::kOperationFixedBytes);
}

void record_outcome(Job& job, std::uint64_t number, OpKind kind, protocol::CallClass call_class,
                    std::int64_t result, const ThreadAccount& booked, std::uint64_t went_ns) {
  if (!is_recording(job)) return;
  protocol::OutcomeRecord record{};
  record.number = number;
  record.result = result;
  record.kernel_read_bytes = booked.read_bytes;
  record.kernel_write_bytes = booked.write_bytes;
  record.kind = static_cast<std::uint8_t>(kind);
  record.call_class = static_cast<std::uint8_t>(call_class);
  record.went_ns = went_ns;
  send(job, record, RecordType::outcome, sizeof record);
}

void record_wait(Job& job, std::uint64_t start_ns, std::uint64_t end_ns) {
  if (!is_recording(job) || end_ns <= start_ns) return;
  protocol::WaitRecord record{};
  record.start_ns = start_ns;
  record.waited_ns = smaller(end_ns - start_ns, protocol::kRecordedWaitNsMax);
  send(job, record, RecordType::wait, sizeof record);
}

void record_advice(Job& job, const OpenFile& file, int fd, int advice) {
  if (!is_recording(job)) return;
  protocol::AdviceRecord record{};
  record.time_ns = gray::base::monotonic_coarse_ns();
  record.device = file.id.device;
  record.inode = file.id.inode;
  record.window_pages_max = window_of(file.device->limits.window_pages_max);
  record.request_pages_max = window_of(file.device->limits.request_pages_max);
  record.folio_order_max = static_cast<std::uint16_t>(file.device->limits.folio_order_max);
  record.readahead_rules = static_cast<std::uint16_t>(file.device->limits.rules);
  record.descriptor = static_cast<std::uint32_t>(fd);
  record.opening = file.opening;
  record.advice = static_cast<std::uint32_t>(advice);
  send(job, record, RecordType::advice, sizeof record);
}

void record_process(Job& job, protocol::ProcessEvent event, std::uint32_t parent_pid) {
  if (!is_recording(job)) return;
  protocol::ProcessRecord record{};
  record.time_ns = gray::base::monotonic_coarse_ns();
  record.parent_pid = parent_pid;
  record.event = static_cast<std::uint8_t>(event);
  send(job, record, RecordType::process, sizeof record);
}

}  // namespace discnice::guest
