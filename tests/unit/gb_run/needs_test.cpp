// SPDX-License-Identifier: MIT
// needs_test: the memory that a program takes beside its grant is learned from its runs, bounded, and kept in a file. The file may contain anything.
//
// How: runs are given numbers; the file is in a temporary folder. Left out: the memory that a real run takes (system/mac_neighbours_test.sh).
#include "tests/support/catch.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "toolbox/base/units.hpp"
#include "tools/gb-run/needs.hpp"

using gray::base::kMiB;
using namespace gb_run;

namespace {

// A file in a folder that does not exist yet.
class NeedsFile {
 public:
  NeedsFile() {
    char folder[] = "/tmp/gray-needs.XXXXXX";
    folder_ = mkdtemp(folder);
  }
  ~NeedsFile() { std::filesystem::remove_all(folder_); }
  NeedsFile(const NeedsFile&) = delete;
  NeedsFile& operator=(const NeedsFile&) = delete;

  [[nodiscard]] std::string path() const { return folder_ + "/cache/gray/needs"; }

 private:
  std::string folder_;
};

}  // namespace

TEST_CASE("what went beyond the grant is the need, and the highest counts") {
  CHECK(learn(std::nullopt, 100 * kMiB, 109 * kMiB) == 9 * kMiB);
  CHECK(learn(std::nullopt, 100 * kMiB, 160 * kMiB) == 60 * kMiB);
  CHECK(learn(9 * kMiB, 100 * kMiB, 112 * kMiB) == 12 * kMiB);
  const auto less = learn(16 * kMiB, 100 * kMiB, 108 * kMiB);
  CHECK(less == 15 * kMiB);  // forgotten slowly
  CHECK(learn(9 * kMiB, 100 * kMiB, 100'000 * kMiB) == kNeedMaxBytes);
}

TEST_CASE("who stayed below the grant needs no more than all it took, and says nothing more") {
  CHECK(learn(std::nullopt, 100 * kMiB, 3 * kMiB) == 3 * kMiB);
  CHECK_FALSE(learn(std::nullopt, 100 * kMiB, 90 * kMiB).has_value());
  CHECK(learn(8 * kMiB, 100 * kMiB, 90 * kMiB) == 8 * kMiB);
  CHECK(learn(16 * kMiB, 100 * kMiB, 8 * kMiB) == 15 * kMiB);
}

TEST_CASE(
    "a supposed need is small in a small pool, and nothing is refused for its sake; a known one is left free "
    "with some spare") {
  CHECK(need_of(std::nullopt, 30 * kMiB, 1000 * kMiB) == kUnknownNeedBytes);
  CHECK(need_of(std::nullopt, 30 * kMiB, 80 * kMiB) == 10 * kMiB);
  CHECK(need_of(std::nullopt, 79 * kMiB, 80 * kMiB) == kMiB);
  CHECK(need_of(std::nullopt, 90 * kMiB, 80 * kMiB) == 0);
  CHECK(need_of(8 * kMiB, 79 * kMiB, 80 * kMiB) == 10 * kMiB);
}

TEST_CASE("needs are kept by program, the last ones") {
  const NeedsFile file;
  CHECK_FALSE(read_need(file.path(), "java").has_value());
  write_need(file.path(), "java", 40 * kMiB);
  write_need(file.path(), "python3", 9 * kMiB);
  write_need(file.path(), "java", 41 * kMiB);
  CHECK(read_need(file.path(), "java") == 41 * kMiB);
  CHECK(read_need(file.path(), "python3") == 9 * kMiB);
  CHECK_FALSE(read_need(file.path(), "jav").has_value());
  write_need(file.path(), "a b", kMiB);
  write_need(file.path(), "a\nb", kMiB);
  CHECK_FALSE(read_need(file.path(), "a").has_value());
  for (int i = 0; i < 300; ++i) write_need(file.path(), "p" + std::to_string(i), kMiB);
  CHECK_FALSE(read_need(file.path(), "java").has_value());
  CHECK(read_need(file.path(), "p299") == kMiB);
  write_need("", "java", kMiB);
  CHECK_FALSE(read_need("", "java").has_value());
}

TEST_CASE("lines that make no sense are passed over, and gone at the next write") {
  const NeedsFile file;
  write_need(file.path(), "python3", 9 * kMiB);
  std::ofstream(file.path(), std::ios::app)
      << "-1 java\n99999999999999999999 java\n9999999999 java\n12\n12 \n x\n12 a b\n\n7 \x1b[2J\n5 sort";
  CHECK(read_need(file.path(), "sort") == 5U);
  CHECK_FALSE(read_need(file.path(), "java").has_value());
  write_need(file.path(), "sort", 6);
  std::string text;
  std::getline(std::ifstream(file.path()), text, '\0');
  CHECK(text == "9437184 python3\n6 sort\n");
}
