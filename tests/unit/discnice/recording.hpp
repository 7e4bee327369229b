// SPDX-License-Identifier: MIT
// recording: makes the bytes of a recording record by record, for the tests of its readers.
#pragma once

#include <cstring>
#include <string>

#include "tools/discnice/contract/io_op.hpp"
#include "tools/discnice/protocol/record_format.hpp"
#include "tools/discnice/protocol/ring.hpp"

namespace discnice::test {

/// A recording in memory: the header comes at once, records as they are added, end() last.
class Recording {
 public:
  explicit Recording(std::uint32_t version = protocol::kRecordVersion) {
    protocol::RecordFileHeader header{};
    header.magic = protocol::kRecordFileMagic;
    header.version = version;
    header.header_bytes = protocol::kFileHeaderBytes;
    header.page_bytes = kPageBytes;
    std::memcpy(header.command, "test", 4);
    header.checksum = protocol::checksum_of(&header, sizeof header);
    bytes_.assign(reinterpret_cast<const char*>(&header), sizeof header);
  }

  /// Seals and appends a record.
  template <typename Record>
  void add(Record record, protocol::RecordType type, std::size_t bytes = sizeof(Record)) {
    protocol::seal(record.head, static_cast<std::uint16_t>(type), bytes);
    bytes_.append(reinterpret_cast<const char*>(&record), record.head.bytes);
    ++records_;
  }

  void end() {
    protocol::EndRecord record{};
    record.records = records_;
    add(record, protocol::RecordType::end);
  }

  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
  std::uint64_t records_ = 0;
};

/// A record as a reader returns it.
template <typename Record>
protocol::TakenRecord taken(Record record, protocol::RecordType type, std::size_t bytes = sizeof(Record)) {
  protocol::TakenRecord result{};
  protocol::seal(record.head, static_cast<std::uint16_t>(type), bytes);
  std::memcpy(result.bytes, &record, bytes);
  return result;
}

}  // namespace discnice::test
