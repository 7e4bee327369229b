// SPDX-License-Identifier: MIT
// order_test: sort_files orders by cache, by layout, by both, and keeps ties.
//
// How: files with made-up costs, sorted; the order is read as a word of their names. Leaves out where the
// costs come from (unit_libgray, and tests/system/gbp_order_test.sh on the real kernel).
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cerrno>
#include <string>
#include <vector>

#include "tools/gbp/order.hpp"

using gbp::File;
using gbp::Mode;

namespace {

constexpr double kUnknown = -1;

File file(const char* name, double cached_fraction, std::uint64_t extent_bytes, gb_status_t error = 0) {
  File made;
  made.path = name;
  made.cache.cached_fraction = cached_fraction;
  made.place.has_first_extent = 1;
  made.place.first_extent_bytes = extent_bytes;
  made.error = error;
  return made;
}

std::string sorted(std::vector<File> files, Mode mode) {
  gbp::sort_files(files, mode);
  std::string names;
  for (const File& each : files) names += each.path;
  return names;
}

}  // namespace

TEST_CASE("mem: most cached first, unknown behind cold, failed last") {
  const std::vector<File> files = {file("x", 1, 0, -ENOENT), file("u", kUnknown, 1), file("c", 0, 2),
                                   file("h", 0.5, 3), file("w", 1, 4)};
  CHECK(sorted(files, Mode::mem) == "whcux");
}

TEST_CASE("mem: ties keep the input's order, whatever lies where on disk") {
  const std::vector<File> files = {file("b", 1, 9), file("a", 1, 1), file("d", 0, 8), file("c", 0, 2)};
  CHECK(sorted(files, Mode::mem) == "badc");
}

TEST_CASE("mem: a page more is a tie, a step more is not") {
  const double step = 1.0 / gbp::kCachedSteps;
  CHECK(sorted({file("a", 0, 0), file("b", step / 4, 0)}, Mode::mem) == "ab");
  CHECK(sorted({file("a", 0, 0), file("b", step, 0)}, Mode::mem) == "ba");
}

TEST_CASE("file: as they lie on disk, whatever is cached, failed last") {
  const std::vector<File> files = {file("x", 1, 0, -EACCES), file("c", 1, 3), file("u", kUnknown, 2),
                                   file("a", 0, 1)};
  CHECK(sorted(files, Mode::file) == "aucx");
}

TEST_CASE(
    "compose: the cached ones first, then the others, then the unknown, each group as it lies on disk") {
  const std::vector<File> files = {file("F", kUnknown, 1), file("x", 1, 0, -ENOENT), file("D", 0, 2),
                                   file("B", 1, 9),        file("E", 0.4, 5),        file("A", 0.5, 3)};
  CHECK(sorted(files, Mode::compose) == "ABDEFx");
}

TEST_CASE("failed files keep the input's order among themselves") {
  const Mode mode = GENERATE(Mode::mem, Mode::file, Mode::compose);
  CHECK(sorted({file("y", 0, 9, -EIO), file("x", 1, 1, -ENOENT), file("a", 0, 5)}, mode) == "ayx");
}

TEST_CASE("the order does not depend on the input's where nothing ties") {
  std::vector<File> files = {file("A", 1, 1), file("B", 0.75, 2), file("C", 0.25, 3), file("D", 0, 4),
                             file("E", kUnknown, 5)};
  const Mode mode = GENERATE(Mode::mem, Mode::file, Mode::compose);
  const auto by_path = [](const File& a, const File& b) { return a.path < b.path; };
  do {
    REQUIRE(sorted(files, mode) == "ABCDE");
  } while (std::next_permutation(files.begin(), files.end(), by_path));
}

TEST_CASE("no files are no trouble") {
  CHECK(sorted({}, Mode::compose).empty());
}
