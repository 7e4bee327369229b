// SPDX-License-Identifier: MIT
// record_reader_test: a whole recording is read to its end; any other input is refused in one line.
#include "tools/discnice/cli/record_reader.hpp"

#include <cstring>
#include <sstream>

#include "tests/support/catch.hpp"
#include "tests/unit/discnice/recording.hpp"

namespace {

using namespace discnice;
using cli::RecordReader;
using protocol::RecordType;
using test::Recording;

protocol::OperationRecord operation() {
  protocol::OperationRecord record{};
  record.number = 1;
  record.length_bytes = 4096;
  record.file_size_bytes = 8192;
  record.window_pages_max = record.request_pages_max = 32;
  return record;
}

void add_operation(Recording& recording, const protocol::OperationRecord& record) {
  recording.add(record, RecordType::operation, protocol::kOperationFixedBytes);
}

// Reads all records. Returns the number of records, and the error.
std::pair<int, std::string> read(const std::string& bytes) {
  std::istringstream stream(bytes);
  RecordReader reader(stream, "FILE");
  protocol::TakenRecord record;
  int count = 0;
  while (reader.next(record)) ++count;
  CHECK_FALSE(reader.next(record));
  CHECK(reader.problem().find('\n') == std::string::npos);
  return {count, reader.problem()};
}

bool says(const std::string& problem, const char* word) {
  return problem.find(word) != std::string::npos && problem.find("FILE") != std::string::npos;
}

Recording sample() {
  Recording recording;
  add_operation(recording, operation());
  recording.add(protocol::OutcomeRecord{}, RecordType::outcome);
  recording.add(protocol::ProcessRecord{}, RecordType::process);
  recording.add(protocol::AdviceRecord{}, RecordType::advice);
  recording.add(protocol::NameRecord{}, RecordType::name, protocol::kNameFixedBytes + 1);
  recording.add(protocol::CommandRecord{}, RecordType::command);
  recording.add(protocol::WaitRecord{}, RecordType::wait);
  recording.end();
  return recording;
}

TEST_CASE("a whole recording is read to its end") {
  const auto [count, problem] = read(sample().bytes());
  CHECK(count == 8);
  CHECK(problem.empty());
}

TEST_CASE("a recording cut short anywhere is refused") {
  const std::string whole = sample().bytes();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const auto [count, problem] = read(whole.substr(0, length));
    CAPTURE(length, problem);
    CHECK(count < 8);
    CHECK(says(problem, length < 8 ? "is not a recording" : "is cut short"));
  }
}

TEST_CASE("a recording with any bit turned is refused") {
  const std::string whole = sample().bytes();
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 4);
    const auto [count, problem] = read(changed);
    CAPTURE(at, count);
    CHECK_FALSE(problem.empty());
  }
}

TEST_CASE("what goes on behind its end, and what has none, is refused") {
  const Recording whole = sample();
  CHECK(says(read(whole.bytes() + "x").second, "goes on after its end"));
  Recording endless;
  add_operation(endless, operation());
  CHECK(says(read(endless.bytes()).second, "cut short after 1 records"));
}

TEST_CASE("a recording of the first version is read, too") {
  CHECK(read(Recording(1).bytes()).second.find("version") == std::string::npos);
}

TEST_CASE("another version is refused by its number") {
  std::string bytes = sample().bytes();
  bytes[8] = 9;
  CHECK(says(read(bytes).second, "version 9"));
}

TEST_CASE("records that say what cannot be are refused, though their checksum fits") {
  const auto refuses = [](auto change) {
    protocol::OperationRecord record = operation();
    change(record);
    Recording recording;
    add_operation(recording, record);
    recording.end();
    const std::string problem = read(recording.bytes()).second;
    CAPTURE(problem);
    return says(problem, "says what cannot be");
  };
  CHECK_FALSE(refuses([](auto&) {}));
  CHECK(refuses([](auto& record) { record.kind = kOpKindCount; }));
  CHECK(refuses([](auto& record) { record.call_class = 200; }));
  CHECK(refuses([](auto& record) { record.length_bytes = protocol::kRecordedLengthBytesMax + 1; }));
  CHECK(refuses([](auto& record) { record.offset_bytes = UINT64_MAX; }));
  CHECK(refuses([](auto& record) { record.time_ns = UINT64_MAX; }));
  CHECK(refuses([](auto& record) { record.predicted_read_bytes = UINT64_MAX; }));
  CHECK(refuses([](auto& record) { record.predicted_write_bytes = UINT64_MAX; }));
  CHECK(refuses([](auto& record) { record.refunded_bytes = UINT64_C(1) << 63U; }));
  CHECK(refuses([](auto& record) { record.window_pages_max = UINT32_MAX; }));
  CHECK(refuses([](auto& record) { record.readahead_rules = 64; }));
  CHECK(refuses([](auto& record) { record.answer_count = 1; }));  // the answers are not in the record
  CHECK(refuses([](auto& record) { record.answer_count = UINT32_MAX; }));
  Recording endless_name;
  protocol::NameRecord name{};
  std::memset(name.path, 'x', sizeof name.path);
  endless_name.add(name, RecordType::name);
  CHECK(says(read(endless_name.bytes()).second, "says what cannot be"));
  Recording long_wait;
  protocol::WaitRecord wait{};
  wait.waited_ns = UINT64_MAX;
  long_wait.add(wait, RecordType::wait);
  CHECK(says(read(long_wait.bytes()).second, "says what cannot be"));
  Recording unknown;
  unknown.add(protocol::OutcomeRecord{}, static_cast<RecordType>(40));
  CHECK(says(read(unknown.bytes()).second, "says what cannot be"));
}

}  // namespace
