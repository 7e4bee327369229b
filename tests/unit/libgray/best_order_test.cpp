// SPDX-License-Identifier: MIT
// best_order_test: sort_files orders files by cache, by layout and by both, and keeps the given order of equal files.
//
// How: files with invented costs are sorted; the order is read as a word made of their names. Left out: how the
// costs are found (unit_libgray, and tests/system/gbp_order_test.sh on the real kernel).
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cerrno>
#include <string>
#include <string_view>
#include <vector>

#include "libgray/src/core/cached_by_itself.hpp"
#include "libgray/src/order/best_order.hpp"

using gray::core::kMuchBytes;
using gray::layout::Order;
using gray::order::File;
using gray::order::Mode;

namespace {

constexpr double kUnknown = -1;
constexpr double kPage = 1.0 / 256;  // one page of a small file

File file(const char* name, double cached_fraction, std::uint64_t extent_bytes, int error = 0) {
  File made;
  made.path = name;
  made.size_bytes = 16 * kMuchBytes;
  made.cached_fraction = static_cast<float>(cached_fraction);
  made.has_first_extent = true;
  made.first_extent_bytes = extent_bytes;
  made.order = Order::extent;
  made.error = error;
  return made;
}

File small_file(const char* name, double cached_fraction, std::uint64_t extent_bytes) {
  File made = file(name, cached_fraction, extent_bytes);
  made.size_bytes = kMuchBytes / 4;
  return made;
}

// A file so large that only a small part of the set is missing.
File rest_of_set(const char* name, std::uint64_t extent_bytes) {
  File made = file(name, 1, extent_bytes);
  made.size_bytes = 1024 * kMuchBytes;
  return made;
}

bool is_cached(const File& file) {
  return gray::core::is_cached_by_itself(file.cached_fraction, file.size_bytes);
}

std::string sorted(std::vector<File> files, Mode mode) {
  gray::order::sort_files(files, mode);
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
  const double step = 1.0 / gray::order::kCachedSteps;
  CHECK(sorted({file("a", 0, 0), file("b", step / 4, 0)}, Mode::mem) == "ab");
  CHECK(sorted({file("a", 0, 0), file("b", step, 0)}, Mode::mem) == "ba");
}

TEST_CASE("mem: a small file that lacks a page is read among the few missing ones, as it came") {
  const std::vector<File> files = {small_file("m", 0, 1), small_file("h", 1 - kPage, 2), rest_of_set("w", 3),
                                   small_file("n", kPage, 4), small_file("v", 1, 5)};
  CHECK(sorted(files, Mode::mem) == "wvmhn");
}

TEST_CASE("mem: where much is missing it is read before the missing ones, behind the whole ones") {
  const std::vector<File> files = {small_file("m", 0, 1), small_file("g", 0.5, 2),
                                   small_file("h", 1 - kPage, 3), small_file("v", 1, 4)};
  CHECK(sorted(files, Mode::mem) == "vhgm");
}

TEST_CASE("mem: a file of which much is cached comes before the missing ones in any case") {
  const double much = 1.0 / 16;
  CHECK(sorted({file("m", 0, 1), file("l", 0.99 * much, 2), file("p", much, 3), file("q", 4 * much, 4),
                rest_of_set("w", 5)},
               Mode::mem) == "wqpml");
}

TEST_CASE("compose: a small file that lacks a page is read among the few missing ones, as they lie on disk") {
  const std::vector<File> files = {small_file("D", 0, 9), small_file("C", 1 - kPage, 3),
                                   small_file("B", 1, 8), rest_of_set("A", 2), small_file("E", 0, 11)};
  CHECK(sorted(files, Mode::compose) == "ABCDE");
  CHECK_FALSE(is_cached(files[1]));
}

TEST_CASE("compose: a file of which much is cached but not half is no cached one") {
  CHECK(is_cached(file("A", 0.5, 1)));
  CHECK_FALSE(is_cached(file("A", 0.49, 1)));
  CHECK(sorted({file("C", 0.49, 2), file("D", 0, 3), file("B", 0.5, 1), file("A", 1, 4)}, Mode::compose) ==
        "ABCD");
}

TEST_CASE("file: as they lie on disk, whatever is cached, failed last") {
  const std::vector<File> files = {file("x", 1, 0, -EACCES), file("c", 1, 3), file("u", kUnknown, 2),
                                   file("a", 0, 1)};
  CHECK(sorted(files, Mode::file) == "aucx");
}

TEST_CASE(
    "compose: the whole ones first, then the half ones, the others, the unknown, each group as it lies on "
    "disk") {
  const std::vector<File> files = {file("F", kUnknown, 1), file("x", 1, 0, -ENOENT), file("D", 0, 2),
                                   file("B", 1, 9),        file("E", 0.4, 5),        file("C", 0.5, 3),
                                   file("A", 1, 7)};
  CHECK(sorted(files, Mode::compose) == "ABCDEFx");
}

TEST_CASE("failed files keep the input's order among themselves") {
  const Mode mode = GENERATE(Mode::mem, Mode::file, Mode::compose);
  CHECK(sorted({file("y", 0, 9, -EIO), file("x", 1, 1, -ENOENT), file("a", 0, 5)}, mode) == "ayx");
}

TEST_CASE("the order does not depend on the input's where nothing ties") {
  std::vector<File> files = {file("A", 1, 1), file("B", 0.75, 2), file("C", 0.25, 3), file("D", 0, 4),
                             file("E", kUnknown, 5)};
  const Mode mode = GENERATE(Mode::mem, Mode::file, Mode::compose);
  const auto by_path = [](const File& a, const File& b) { return std::string_view(a.path) < b.path; };
  do {
    REQUIRE(sorted(files, mode) == "ABCDE");
  } while (std::next_permutation(files.begin(), files.end(), by_path));
}

TEST_CASE("of what is missing the fastest level comes first, and within a level the rest decides") {
  const auto at = [](File made, unsigned level) {
    made.level = static_cast<std::uint8_t>(level);
    return made;
  };
  const std::vector<File> files = {at(file("s", 0, 1), 3), at(file("d", 0, 4), 2), at(file("f", 0, 9), 1),
                                   at(file("e", 0, 3), 2), at(file("w", 1, 7), 0)};
  CHECK(sorted(files, Mode::mem) == "wfdes");
  CHECK(sorted(files, Mode::compose) == "wfeds");
  CHECK(sorted(files, Mode::file) == "sedwf");
}

TEST_CASE("levels never part files that are cached as a whole") {
  std::vector<File> files = {file("a", 1, 5), file("b", 1, 1)};
  files[0].level = 1;
  CHECK(sorted(files, Mode::mem) == "ab");
}

TEST_CASE("no files are no trouble") {
  CHECK(sorted({}, Mode::compose).empty());
}

TEST_CASE("where no order pays, the layout leaves the input alone, devices too") {
  std::vector<File> files = {file("c", 0, 3), file("a", 0, 1), file("b", 0, 2)};
  for (File& each : files) each.order = Order::none;
  files[1].device = 7;
  CHECK(sorted(files, Mode::file) == "cab");
  CHECK(sorted(files, Mode::compose) == "cab");
}

TEST_CASE("each device has its own order, and devices are kept together where one has any") {
  std::vector<File> files = {file("d", 0, 9), file("b", 0, 2), file("c", 0, 1), file("a", 0, 1)};
  files[0].device = files[2].device = 8;
  files[0].order = files[2].order = Order::none;
  CHECK(sorted(files, Mode::file) == "abdc");
}

TEST_CASE("the i-number and the time of the last change order as well as the extent") {
  std::vector<File> files = {file("c", 0, 1), file("a", 0, 2), file("b", 0, 3)};
  for (std::size_t i = 0; i < files.size(); ++i) {
    files[i].order = Order::inode;
    files[i].inode = (i + 2) % 3;
    files[i].modified_ns = static_cast<std::int64_t>(i);
  }
  CHECK(sorted(files, Mode::file) == "abc");
  for (File& each : files) each.order = Order::mtime;
  CHECK(sorted(files, Mode::file) == "cab");
}

TEST_CASE("by directory: together, in the order in which the directories appear") {
  const std::vector<File> files = {file("x/1", 0, 9), file("y/1", 0, 1), file("x/2", 0, 3), file("0", 0, 2)};
  std::vector<File> made = files;
  gray::order::sort_files(made, Mode::file, true);
  std::string names;
  for (const File& each : made) names += std::string(each.path) + " ";
  CHECK(names == "x/1 x/2 y/1 0 ");
}
