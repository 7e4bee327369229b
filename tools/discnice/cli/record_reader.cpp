// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/record_reader.hpp"

#include <cstring>
#include <utility>

#include <fmt/core.h>

#include "toolbox/base/readahead_rules.hpp"
#include "tools/discnice/contract/io_op.hpp"
#include "tools/discnice/protocol/layout.hpp"

namespace discnice::cli {
namespace {

using protocol::RecordType;
using protocol::TakenRecord;

// No file is longer than this. The sum of this offset and any length does not overflow.
constexpr std::uint64_t kOffsetBytesMax = UINT64_C(1) << 62U;
// No machine runs for longer than this time. The models add the time of a lease to an instant. With the largest instants this sum would overflow,
// and the lease would be over before it begins.
constexpr std::uint64_t kTimeNsMax = UINT64_C(1) << 62U;

template <typename Record>
const Record& as(const TakenRecord& record) {
  return reinterpret_cast<const Record&>(record.bytes);
}

bool are_answers_sound(const protocol::RecordedAnswer* answers, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const protocol::RecordedAnswer& answer = answers[i];
    if (answer.first_page > kOffsetBytesMax / kPageBytes) return false;
    if (answer.page_count == 0 ? answer.resident_pages > 2 : answer.resident_pages > answer.page_count)
      return false;
  }
  return true;
}

bool has_answers(const TakenRecord& record, std::uint32_t count, std::size_t fixed_bytes,
                 const protocol::RecordedAnswer* answers) {
  return count <= protocol::kOperationAnswersMax &&
         fixed_bytes + count * sizeof(protocol::RecordedAnswer) <= record.head().bytes &&
         are_answers_sound(answers, count);
}

bool is_operation_sound(const TakenRecord& record) {
  const auto& op = as<protocol::OperationRecord>(record);
  return record.head().bytes >= protocol::kOperationFixedBytes && op.kind < kOpKindCount &&
         op.time_ns <= kTimeNsMax && op.call_class < protocol::kCallClassCount &&
         op.offset_bytes <= kOffsetBytesMax && op.file_size_bytes <= kOffsetBytesMax &&
         op.length_bytes <= protocol::kRecordedLengthBytesMax && op.predicted_read_bytes <= kOffsetBytesMax &&
         op.predicted_write_bytes <= kOffsetBytesMax && op.refunded_bytes <= kOffsetBytesMax &&
         op.window_pages_max <= protocol::kRecordedWindowPagesMax &&
         op.request_pages_max <= protocol::kRecordedWindowPagesMax &&
         op.folio_order_max <= protocol::kRecordedFolioOrderMax &&
         op.readahead_rules <= gray::base::kAllReadaheadRules &&
         op.oracle <= static_cast<std::uint8_t>(protocol::RecordedOracle::probing) &&
         has_answers(record, op.answer_count, protocol::kOperationFixedBytes, op.answers);
}

// Whether the text that begins at `start` ends with a zero within the record.
bool ends_in_record(const TakenRecord& record, std::size_t start) {
  return std::memchr(record.bytes + start, '\0', record.head().bytes - start) != nullptr;
}

}  // namespace

bool is_sound(const protocol::TakenRecord& record) {
  switch (static_cast<RecordType>(record.head().type)) {
    case RecordType::operation:
      return is_operation_sound(record);
    case RecordType::answers:
      return has_answers(record, as<protocol::AnswersRecord>(record).answer_count,
                         protocol::kAnswersFixedBytes, as<protocol::AnswersRecord>(record).answers);
    case RecordType::outcome: {
      const auto& outcome = as<protocol::OutcomeRecord>(record);
      return outcome.call_class < protocol::kCallClassCount && outcome.kind < kOpKindCount &&
             outcome.went_ns <= kTimeNsMax;
    }
    case RecordType::advice: {
      const auto& advice = as<protocol::AdviceRecord>(record);
      return advice.time_ns <= kTimeNsMax && advice.window_pages_max <= protocol::kRecordedWindowPagesMax &&
             advice.request_pages_max <= protocol::kRecordedWindowPagesMax &&
             advice.folio_order_max <= protocol::kRecordedFolioOrderMax &&
             advice.readahead_rules <= gray::base::kAllReadaheadRules;
    }
    case RecordType::process: {
      const auto& process = as<protocol::ProcessRecord>(record);
      return process.time_ns <= kTimeNsMax &&
             process.event <= static_cast<std::uint8_t>(protocol::ProcessEvent::left);
    }
    case RecordType::name:
      return ends_in_record(record, protocol::kNameFixedBytes);
    case RecordType::command:
      return ends_in_record(record, protocol::kCommandFixedBytes);
    case RecordType::wait: {
      const auto& wait = as<protocol::WaitRecord>(record);
      return wait.start_ns <= kTimeNsMax && wait.waited_ns <= protocol::kRecordedWaitNsMax;
    }
    case RecordType::end:
      return true;
    case RecordType::none:
      break;
  }
  return false;
}

RecordReader::RecordReader(std::istream& stream, std::string name) : stream_(stream), name_(std::move(name)) {
  read_header();
}

bool RecordReader::read(void* target, std::size_t bytes) {
  stream_.read(static_cast<char*>(target), static_cast<std::streamsize>(bytes));
  return stream_.gcount() == static_cast<std::streamsize>(bytes);
}

bool RecordReader::fail(std::string problem) {
  problem_ = std::move(problem);
  return false;
}

bool RecordReader::fail_record(const char* what) {
  return fail(
      fmt::format("'{}' is corrupt: record {} at byte {} {}", name_, records_ + 1, offset_bytes_, what));
}

void RecordReader::read_header() {
  protocol::RecordFileHeader header{};
  const bool is_whole = read(&header, sizeof header);
  const bool is_recording = stream_.gcount() >= static_cast<std::streamsize>(sizeof header.magic) &&
                            header.magic == protocol::kRecordFileMagic;
  if (!is_recording) {
    fail(fmt::format("'{}' is not a recording of discnice", name_));
  } else if (!is_whole) {
    fail(fmt::format("'{}' is cut short within its header", name_));
  } else if (header.version == 0 || header.version > protocol::kRecordVersion) {
    fail(fmt::format("'{}' is in version {} of the format; this discnice reads up to version {}", name_,
                     header.version, protocol::kRecordVersion));
  } else {
    header_ = header;
    header.checksum = 0;
    if (header_.checksum != protocol::checksum_of(&header, sizeof header) ||
        header_.header_bytes != protocol::kFileHeaderBytes || header_.page_bytes != kPageBytes ||
        header_.command[protocol::kRecordedCommandBytesMax - 1] != '\0')
      fail(fmt::format("'{}' is corrupt: its header does not fit its checksum", name_));
  }
  offset_bytes_ = sizeof header;
}

bool RecordReader::next(TakenRecord& record) {
  if (!problem_.empty()) return false;
  if (has_ended_) {
    return stream_.get() == std::istream::traits_type::eof()
               ? false
               : fail(fmt::format("'{}' is corrupt: it goes on after its end at byte {}", name_,
                                  offset_bytes_));
  }
  const auto cut_short = [this] {
    return fail(
        fmt::format("'{}' is cut short after {} records ({} bytes): the recording did not come to its end",
                    name_, records_, offset_bytes_));
  };
  std::memset(record.bytes, 0, sizeof record.bytes);
  if (!read(record.bytes, protocol::kSlotBytes)) return cut_short();
  const std::size_t bytes = record.head().bytes;
  if (bytes < protocol::kSlotBytes || bytes > protocol::kRecordBytesMax || bytes % protocol::kSlotBytes != 0)
    return fail_record("has an impossible size");
  if (!read(record.bytes + protocol::kSlotBytes, bytes - protocol::kSlotBytes)) return cut_short();
  if (!protocol::is_intact(record.bytes)) return fail_record("does not fit its checksum");
  if (!is_sound(record)) return fail_record("says what cannot be");
  if (static_cast<RecordType>(record.head().type) == RecordType::end) {
    has_ended_ = true;
    if (as<protocol::EndRecord>(record).records != records_)
      return fail_record("counts other records than there are");
  }
  ++records_;
  offset_bytes_ += bytes;
  return true;
}

}  // namespace discnice::cli
