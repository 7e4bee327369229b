// SPDX-License-Identifier: MIT
// input_test: records that must be read again come next, and each record comes exactly as often as requested.
//
// How: small files whose records hold their numbers, read in the order of the files. Left out: which cached data comes first (bench/gbp, figure 3), and how a
// sort uses it (system/mac_returnable).
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "examples/gb-fastsort/input.hpp"
#include "examples/gb-fastsort/records.hpp"
#include "tests/unit/toolbox/temporary_folder.hpp"

using fastsort::Input;
using fastsort::kRecordBytes;

namespace {

// Writes records that are numbered from `first` on.
std::string write_records(const std::string& path, int first, int count) {
  std::ofstream file(path, std::ios::binary);
  for (int i = 0; i < count; ++i) {
    char record[kRecordBytes] = {};
    std::memcpy(record, &first, sizeof first);
    ++first;
    file.write(record, sizeof record);
  }
  return path;
}

std::vector<int> read(Input& input, std::size_t records) {
  std::vector<unsigned char> memory(records * kRecordBytes);
  CHECK(input.read_records(memory.data(), records) == records);
  std::vector<int> numbers(records);
  for (std::size_t i = 0; i < records; ++i)
    std::memcpy(&numbers[i], memory.data() + i * kRecordBytes, sizeof(int));
  return numbers;
}

std::vector<int> from_to(int first, int last) {
  std::vector<int> numbers;
  for (int i = first; i <= last; ++i) numbers.push_back(i);
  return numbers;
}

}  // namespace

TEST_CASE("the last records come again and first, across files, and after them what was not read yet") {
  TemporaryFolder folder;
  Input input({write_records(folder.path("a"), 0, 10), write_records(folder.path("b"), 10, 10)}, true);
  input.start_pass();
  CHECK(read(input, 13) == from_to(0, 12));
  input.read_again(6);
  CHECK(input.records_left() == 13);
  input.start_pass();
  CHECK(read(input, 4) == from_to(7, 10));
  input.read_again(2);
  CHECK(read(input, 5) == from_to(9, 13));
  CHECK(read(input, 6) == from_to(14, 19));
  CHECK(input.records_left() == 0);
}

TEST_CASE("a pass that is given up again and again comes to the same records") {
  TemporaryFolder folder;
  Input input({write_records(folder.path("a"), 0, 50), write_records(folder.path("b"), 50, 50)}, true);
  std::vector<int> kept;
  for (std::size_t round = 0; input.records_left() > 0; ++round) {
    input.start_pass();
    const std::size_t count = std::min<std::size_t>(9, input.records_left());
    std::vector<int> pass = read(input, count);
    for (std::size_t again = count * (round % 4) / 4; again > 0; again /= 2) {
      input.read_again(again);
      pass.resize(pass.size() - again);
      if (pass.empty()) break;
    }
    kept.insert(kept.end(), pass.begin(), pass.end());
  }
  CHECK(kept == from_to(0, 99));
}

TEST_CASE("all of a pass, up to the end of the input, may come again") {
  TemporaryFolder folder;
  Input input({write_records(folder.path("a"), 0, 10)}, true);
  input.start_pass();
  CHECK(read(input, 10) == from_to(0, 9));
  CHECK(input.records_left() == 0);
  input.read_again(10);
  CHECK(input.records_left() == 10);
  CHECK(read(input, 10) == from_to(0, 9));
}
