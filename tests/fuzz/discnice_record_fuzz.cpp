// SPDX-License-Identifier: MIT
// discnice_record_fuzz: any bytes as a recording: read, checked and replayed.
// fuzz-links: discnice_page discnice_replay
// fuzz-share: 10
//
// Each input is read twice: unchanged, and with all checksums made right, because no mutation finds right checksums by itself. For
// both these must be true. The reader always ends. It returns records, or one line that says what is wrong. The models survive every input that passes
// the checks.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>

#include "tools/discnice/cli/job_history.hpp"
#include "tools/discnice/cli/job_page.hpp"
#include "tools/discnice/cli/record_reader.hpp"
#include "tools/discnice/cli/replay_models.hpp"
#include "tools/discnice/contract/io_op.hpp"
#include "tools/discnice/policy/registry.hpp"

namespace {

using namespace discnice;

constexpr std::size_t kInputBytesMax =
    8192;  // a bound, because a recorded call may be of 2 GB, which takes the models a while

void require(bool is_true) {
  if (!is_true) std::abort();
}

void read(const std::string& bytes) {
  std::istringstream stream(bytes);
  cli::RecordReader reader(stream, "input");
  if (!reader.problem().empty()) return require(reader.problem().find('\n') == std::string::npos);
  Grant grant;
  grant.policy_id = policy::kRateWindowId;
  grant.rate_bytes_per_s = 1000000;
  cli::ReplayModels models(grant, grant, reader.header().disabled_models);
  cli::HistoryMaker history;
  protocol::TakenRecord record;
  std::size_t records = 0;
  while (reader.next(record)) {
    models.take(record);
    history.take(record);
    ++records;
  }
  require(records <= bytes.size() / protocol::kSlotBytes);
  require(reader.problem().find('\n') == std::string::npos);
  if (reader.problem().empty()) {
    require(models.result().end.has_value());
    require(!cli::job_page(reader.header(), history.result(), {}).empty());
  }
  if (!reader.problem().empty()) require(!reader.next(record));
}

// Returns the bytes with right checksums in the header and in every record that fits and has a possible size.
std::string sealed(std::string bytes) {
  protocol::RecordFileHeader header{};
  if (bytes.size() < sizeof header) return bytes;
  std::memcpy(&header, bytes.data(), sizeof header);
  header.magic = protocol::kRecordFileMagic;
  header.version = protocol::kRecordVersion;
  header.header_bytes = protocol::kFileHeaderBytes;
  header.page_bytes = kPageBytes;
  header.command[sizeof header.command - 1] = '\0';
  header.checksum = 0;
  header.checksum = protocol::checksum_of(&header, sizeof header);
  std::memcpy(bytes.data(), &header, sizeof header);
  std::size_t at = sizeof header;
  for (std::uint64_t records = 0; bytes.size() - at >= protocol::kSlotBytes; ++records) {
    protocol::RecordHead head;
    std::memcpy(&head, bytes.data() + at, sizeof head);
    head.bytes =
        static_cast<std::uint16_t>(((head.bytes / protocol::kSlotBytes + 7) % 8 + 1) * protocol::kSlotBytes);
    if (bytes.size() - at < head.bytes) break;
    protocol::TakenRecord record{};
    std::memcpy(record.bytes, bytes.data() + at, head.bytes);
    if (head.type == static_cast<std::uint16_t>(protocol::RecordType::end))
      std::memcpy(record.bytes + offsetof(protocol::EndRecord, records), &records, sizeof records);
    head.checksum = 0;
    std::memcpy(record.bytes, &head, sizeof head);
    head.checksum = protocol::checksum_of(record.bytes, head.bytes);
    std::memcpy(record.bytes, &head, sizeof head);
    std::memcpy(bytes.data() + at, record.bytes, head.bytes);
    at += head.bytes;
  }
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > kInputBytesMax) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  read(bytes);
  read(sealed(bytes));
  return 0;
}
