// SPDX-License-Identifier: MIT
// record_format: the records of `discnice run --record`, in the form of the ring and of the file.
//
// docs/record-format.md describes them for people. Rules: fixed widths, little-endian, records fill whole slots, unused bytes are zero.
// kRecordVersion grows with every new type of record and every changed meaning. A reader refuses any version above its own.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace discnice::protocol {

static_assert(std::endian::native == std::endian::little, "records are little-endian");

inline constexpr std::uint32_t kRecordVersion = 2;  // 1 had no names, commands and waits
inline constexpr std::uint64_t kRecordFileMagic = UINT64_C(0x44524f434552440a);  // "\nDRECORD" as bytes

/// The unit of the ring: every record takes whole units.
inline constexpr std::uint32_t kSlotBytes = 64;
inline constexpr std::uint32_t kRecordBytesMax = 8 * kSlotBytes;

/// The largest values of a record. The recording cuts values to these limits, and a reader refuses larger values, so that no file can keep a reader
/// busy for ever.
inline constexpr std::uint64_t kRecordedLengthBytesMax =
    0x7ffff000;  // the most bytes of one call (MAX_RW_COUNT)
inline constexpr std::uint64_t kRecordedWindowPagesMax = UINT64_C(1) << 20U;
inline constexpr std::uint32_t kRecordedFolioOrderMax = 31;

/// Types of records. Only append values. The types from kPrivateTypes on are for the launcher and are never in a file.
enum class RecordType : std::uint16_t {
  none,
  operation,
  answers,
  outcome,
  advice,
  process,
  end,
  name,
  command,
  wait
};
inline constexpr std::uint16_t kPrivateTypes = 64;

/// The head of each record. The checksum comes first.
struct RecordHead {
  std::uint32_t checksum;  // of the whole record with this field zero; never 0
  std::uint16_t type;
  std::uint16_t bytes;  // of the whole record, a multiple of kSlotBytes
  std::uint32_t pid;
  std::uint32_t image;  // the number of the process image within the job: one more for each exec and fork
};
static_assert(sizeof(RecordHead) == 16);

/// An answer about the page cache that the models got. With page_count 0 it is a probe of one page, and resident_pages is the answer: 0 absent, 1 resident, 2
/// unknown.
struct RecordedAnswer {
  std::uint64_t first_page;
  std::uint32_t page_count;
  std::uint32_t resident_pages;
};
static_assert(sizeof(RecordedAnswer) == 16);

/// How the models could ask about pages.
enum class RecordedOracle : std::uint8_t { none, counting, probing };

/// Bits of OperationRecord::flags.
inline constexpr std::uint8_t kRecordedDirect = 1;
inline constexpr std::uint8_t kRecordedSynchronous = 2;
inline constexpr std::uint8_t kRecordedCopy = 4;  // one side of a copy inside the kernel

inline constexpr std::uint32_t kOperationAnswersMax = 24;

/// One file operation as the models saw it before the operation was made, and their answer.
struct OperationRecord {
  RecordHead head;
  std::uint64_t number;   // of this operation within the job, from 1
  std::uint64_t time_ns;  // CLOCK_MONOTONIC_COARSE
  std::uint64_t device;
  std::uint64_t inode;
  std::uint64_t offset_bytes;
  std::uint64_t length_bytes;
  std::uint64_t file_size_bytes;
  std::uint64_t predicted_read_bytes;
  std::uint64_t predicted_write_bytes;
  std::uint64_t refunded_bytes;
  std::uint32_t window_pages_max;  // of the device: ReadaheadLimits
  std::uint32_t request_pages_max;
  std::uint32_t descriptor;
  std::uint32_t opening;  // a new number each time the descriptor stands for another open file
  std::uint8_t kind;      // OpKind
  std::uint8_t call_class;
  std::uint8_t flags;
  std::uint8_t oracle;  // RecordedOracle
  std::uint32_t answer_count;
  std::uint16_t folio_order_max;  // of the file system: ReadaheadLimits
  std::uint16_t readahead_rules;  // of the kernel: ReadaheadLimits
  std::uint32_t since_ns;         // from time_ns, by CLOCK_MONOTONIC, to the writing of this record
  RecordedAnswer answers[kOperationAnswersMax];
};
inline constexpr std::uint64_t kRecordedSinceNsMax = 1'000'000'000;
inline constexpr std::uint32_t kOperationFixedBytes = offsetof(OperationRecord, answers);
static_assert(kOperationFixedBytes == 128 && sizeof(OperationRecord) == kRecordBytesMax);

/// The earlier answers of an operation that has more answers than its OperationRecord has room for. `number` is the operation's number. An AnswersRecord is written before the
/// OperationRecord.
struct AnswersRecord {
  RecordHead head;
  std::uint64_t number;
  std::uint32_t answer_count;
  std::uint32_t reserved;
  RecordedAnswer answers[kOperationAnswersMax];
  std::uint64_t unused[4];  // zeros: up to a whole slot, as seal() wants it
};
static_assert(sizeof(AnswersRecord) % kSlotBytes == 0);
inline constexpr std::uint32_t kAnswersFixedBytes = offsetof(AnswersRecord, answers);
static_assert(kAnswersFixedBytes == 32);

/// The outcome of an operation. `number` is 0 when no model could be asked.
struct OutcomeRecord {
  RecordHead head;
  std::uint64_t number;
  std::int64_t result;              // the result of the call; negative: the call failed
  std::uint64_t kernel_read_bytes;  // bytes that the kernel charged to the thread meanwhile
  std::uint64_t kernel_write_bytes;
  std::uint8_t kind;
  std::uint8_t call_class;
  std::uint8_t reserved[6];
  std::uint64_t went_ns;  // CLOCK_MONOTONIC when all waits were over and the call was made; 0: not known
};
static_assert(sizeof(OutcomeRecord) == kSlotBytes);

/// posix_fadvise() on a file.
struct AdviceRecord {
  RecordHead head;
  std::uint64_t time_ns;
  std::uint64_t device;
  std::uint64_t inode;
  std::uint32_t window_pages_max;
  std::uint32_t request_pages_max;
  std::uint32_t descriptor;
  std::uint32_t opening;
  std::uint32_t advice;  // POSIX_FADV_*
  std::uint16_t folio_order_max;
  std::uint16_t readahead_rules;
};
static_assert(sizeof(AdviceRecord) == kSlotBytes);

enum class ProcessEvent : std::uint8_t { started, forked, left };

/// A process joins the job or leaves it. A killed process writes no such record when it ends.
struct ProcessRecord {
  RecordHead head;
  std::uint64_t time_ns;
  std::uint32_t parent_pid;  // for a forked process: the process whose memory it has copied
  std::uint8_t event;        // ProcessEvent
  std::uint8_t reserved[35];
};
static_assert(sizeof(ProcessRecord) == kSlotBytes);

inline constexpr std::size_t kRecordedPathBytesMax = 480;

/// The name of a file when the process image first used it. It comes before the file's first operation.
struct NameRecord {
  RecordHead head;
  std::uint64_t device;
  std::uint64_t inode;
  char path[kRecordedPathBytesMax];  // ends in a zero; a longer path is cut
};
static_assert(sizeof(NameRecord) == kRecordBytesMax);
inline constexpr std::uint32_t kNameFixedBytes = offsetof(NameRecord, path);

inline constexpr std::size_t kRecordedCommandLineBytesMax = 496;

/// The job's command line, written by the launcher; the first record.
struct CommandRecord {
  RecordHead head;
  char text
      [kRecordedCommandLineBytesMax];  // the words as a shell takes them; ends in a zero; a longer one is cut
};
static_assert(sizeof(CommandRecord) == kRecordBytesMax);
inline constexpr std::uint32_t kCommandFixedBytes = offsetof(CommandRecord, text);

/// A thread has waited, for the limit or for the disk's other users. A long wait is recorded in slices.
struct WaitRecord {
  RecordHead head;
  std::uint64_t start_ns;  // CLOCK_MONOTONIC
  std::uint64_t waited_ns;
  std::uint64_t reserved[4];
};
static_assert(sizeof(WaitRecord) == kSlotBytes);
/// A slice is far shorter. A reader refuses larger values.
inline constexpr std::uint64_t kRecordedWaitNsMax = UINT64_C(1) << 50U;

/// The last record of every complete file. The launcher writes it.
struct EndRecord {
  RecordHead head;
  std::uint64_t records;            // before this one
  std::uint64_t lost;               // records that found no room in the ring
  std::uint64_t kernel_read_bytes;  // the kernel's account of the command and the children it waited for
  std::uint64_t kernel_write_bytes;
  std::uint64_t kernel_cancelled_bytes;
  std::uint64_t is_account_known;
};
static_assert(sizeof(EndRecord) == kSlotBytes);

inline constexpr std::size_t kRecordedCommandBytesMax = 64;

/// The beginning of a record file.
struct RecordFileHeader {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t header_bytes;
  std::uint32_t checksum;          // of the header with this field zero
  std::uint32_t page_bytes;        // of the models
  std::uint64_t started_s;         // since 1970, UTC
  std::uint64_t rate_bytes_per_s;  // the grant at the start
  std::uint64_t window_ns;
  std::uint32_t policy_id;
  std::uint32_t is_ledger_on;
  std::uint32_t disabled_models;
  std::uint32_t reserved;
  char command[kRecordedCommandBytesMax];  // the program's name, ends in a zero
};
inline constexpr std::uint32_t kFileHeaderBytes = sizeof(RecordFileHeader);
static_assert(kFileHeaderBytes == 2 * kSlotBytes);

/// The checksum of `bytes` bytes, a multiple of 8: word by word, h = (h ^ word) * odd, folded. Never 0.
inline std::uint32_t checksum_of(const void* data, std::size_t bytes) {
  const auto* in = static_cast<const unsigned char*>(data);
  std::uint64_t sum = UINT64_C(0x9e3779b97f4a7c15);
  for (std::size_t i = 0; i < bytes; i += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, in + i, sizeof word);
    sum = (sum ^ word) * UINT64_C(0xd6e8feb86659fd93);
    sum ^= sum >> 32U;
  }
  const auto folded = static_cast<std::uint32_t>(sum);
  return folded != 0 ? folded : 1;
}

/// Fills in the type, size and checksum of a record. `bytes` is rounded up to whole slots. The caller's buffer must have room for them, and must be zeroed.
inline void seal(RecordHead& head, std::uint16_t type, std::size_t bytes) {
  head.type = type;
  head.bytes = static_cast<std::uint16_t>((bytes + kSlotBytes - 1) / kSlotBytes * kSlotBytes);
  head.checksum = 0;
  head.checksum = checksum_of(&head, head.bytes);
}

/// True when the record at `bytes` is unchanged since it was sealed. The buffer must hold as many bytes as the head says.
inline bool is_intact(const unsigned char* bytes) {
  RecordHead head;
  std::memcpy(&head, bytes, sizeof head);
  if (head.bytes < kSlotBytes || head.bytes > kRecordBytesMax || head.bytes % kSlotBytes != 0) return false;
  alignas(8) unsigned char copy[kRecordBytesMax];
  std::memcpy(copy, bytes, head.bytes);
  std::memset(copy, 0, sizeof head.checksum);
  return checksum_of(copy, head.bytes) == head.checksum;
}

}  // namespace discnice::protocol
