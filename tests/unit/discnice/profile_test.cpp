// SPDX-License-Identifier: MIT
// profile_test: stacks of addresses become stacks of names, with the bytes at the right stack.
//
// How: the test makes records and gives the names of the functions. Left out: the symbolizer itself, which the
// system test of profiles runs.
#include "tools/discnice/cli/profile.hpp"

#include <cstring>

#include "tests/support/catch.hpp"
#include "tests/unit/discnice/recording.hpp"
#include "tools/discnice/protocol/profile_records.hpp"

namespace {

using namespace discnice;
using namespace discnice::cli;
using protocol::MappingRecord;
using protocol::StackRecord;

template <typename Record>
protocol::TakenRecord sealed(Record record, std::uint16_t type) {
  return test::taken(record, static_cast<protocol::RecordType>(type));
}

void map(Profile& profile, std::uint32_t pid, std::uint32_t index, std::uint64_t start, const char* path) {
  MappingRecord record{};
  record.head.pid = pid;
  record.start_address = start;
  record.end_address = start + 0x1000;
  record.offset_bytes = 0x2000;
  record.index = index;
  std::strncpy(record.path, path, sizeof record.path - 1);
  profile.take(sealed(record, protocol::kMappingRecord));
}

void call(Profile& profile, std::uint32_t pid, std::initializer_list<std::uint64_t> frames,
          std::uint64_t reads, std::uint64_t writes = 0) {
  StackRecord record{};
  record.head.pid = pid;
  record.read_bytes = reads;
  record.write_bytes = writes;
  for (const std::uint64_t frame : frames) record.frames[record.frame_count++] = frame;
  profile.take(sealed(record, protocol::kStackRecord));
}

constexpr std::uint64_t kProgram = 0x10000;
constexpr std::uint64_t kLibrary = 0x50000;
constexpr std::uint64_t kOwn = 0x90000;

Profile sample() {
  Profile profile("/lib/own.so");
  map(profile, 1, 5, kLibrary, "/lib/libother.so");
  map(profile, 1, 9, kOwn, "/lib/own.so");
  map(profile, 1, 1, kProgram, "/bin/program (deleted)");
  call(profile, 1, {kOwn + 4, kLibrary + 0x11, kProgram + 0x21, kProgram + 0x31}, 4096);
  call(profile, 1, {kOwn + 8, kLibrary + 0x11, kProgram + 0x21, kProgram + 0x31}, 4096, 100);
  call(profile, 1, {kOwn + 4, kProgram + 0x31}, 50);
  return profile;
}

std::map<CodePlace, FunctionNames> names() {
  return {{{"/lib/libother.so", 0x2010}, {"copy", "inlined;read"}},
          {{"/bin/program", 0x2020}, {"work"}},
          {{"/bin/program", 0x2030}, {"main"}}};
}

TEST_CASE("stacks are folded from the program inwards, without the preload library, equal ones summed up") {
  CHECK(folded_text(sample().stacks(names())) ==
        "[program];main;work;copy;inlined:read;[read] 8192\n"
        "[program];main;work;copy;inlined:read;[write] 100\n"
        "[program];main;[read] 50\n");
}

TEST_CASE("what has no name is shown by its place in its file") {
  Profile profile = sample();
  call(profile, 2, {0xdead}, 7);  // of a process that has sent no mappings
  const std::string text = folded_text(profile.stacks({}));
  CHECK(text.find("[program];[program+0x2030];[program+0x2020];[libother.so+0x2010];[read] 8192\n") == 0);
  CHECK(text.find("[?];[?+0xdead];[read] 7\n") != std::string::npos);
}

TEST_CASE("a stack that was cut says so") {
  Profile profile = sample();
  StackRecord record{};
  record.head.pid = 1;
  record.read_bytes = 9;
  record.is_cut = 1;
  record.frame_count = 1;
  record.frames[0] = kProgram + 0x21;
  profile.take(sealed(record, protocol::kStackRecord));
  CHECK(folded_text(profile.stacks(names())).find("[program];[...];work;[read] 9\n") != std::string::npos);
}

TEST_CASE("places are asked for once") {
  CHECK(sample().places().size() == 3);
}

TEST_CASE("functions are charged for themselves and for what they call, once for each stack") {
  Profile profile = sample();
  call(profile, 1, {kProgram + 0x31, kProgram + 0x21, kProgram + 0x31}, 1000);  // main calls itself
  const std::vector<FunctionShare> functions = by_function(profile.stacks(names()));
  REQUIRE(functions.size() == 4);
  CHECK(functions[0].function == "inlined:read");
  CHECK(functions[0].own_bytes == 8292);
  CHECK(functions[1].function == "main");
  CHECK(functions[1].own_bytes == 1050);
  CHECK(functions[1].all_bytes == 9342);
  const std::string table = function_table(functions, 1);
  CHECK(table.find("inlined:read") != std::string::npos);
  CHECK(table.find("main") == std::string::npos);
}

TEST_CASE("nonsense in the ring is left alone") {
  Profile profile("own");
  StackRecord stack{};
  stack.frame_count = 1U << 30U;
  profile.take(sealed(stack, protocol::kStackRecord));
  MappingRecord mapping{};
  std::memset(mapping.path, 'x', sizeof mapping.path);
  profile.take(sealed(mapping, protocol::kMappingRecord));
  profile.take(sealed(protocol::OutcomeRecord{}, protocol::kStackRecord));
  profile.take(sealed(protocol::OutcomeRecord{}, 99));
  CHECK(profile.stacks({}).empty());
  CHECK(function_table(by_function({}), 20).find("function") != std::string::npos);
}

}  // namespace
