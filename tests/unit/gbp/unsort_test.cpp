// SPDX-License-Identifier: MIT
// unsort_test: lines about files go back into the order of the files.
//
// How: lines are put in and come out, in the forms in which common programs name a file.
#include "tests/support/catch.hpp"

#include <sstream>
#include <string>

#include "tools/gbp/unsort.hpp"

namespace {

std::string unsorted(std::initializer_list<const char*> files, const std::string& lines) {
  gbp::Names names;
  for (const char* file : files) names.add(file);
  std::istringstream in(lines);
  std::ostringstream out;
  gbp::unsort(in, names, out);
  return out.str();
}

}  // namespace

TEST_CASE("grep's lines: the name, a colon; lines of one file stay as they came") {
  CHECK(unsorted({"a", "b"}, "b:2\nb:1\na:9\n") == "a:9\nb:2\nb:1\n");
}

TEST_CASE("sha256sum's and wc's lines: the name at the end") {
  CHECK(unsorted({"x y", "z"}, "77  z\n88 *x y\n") == "88 *x y\n77  z\n");
}

TEST_CASE("the longest name that fits counts, also with colons in it") {
  CHECK(unsorted({"a:b", "a"}, "a:c\na:b:c\n") == "a:b:c\na:c\n");
}

TEST_CASE("a line about no file goes with the line before it, the first ones come first") {
  CHECK(unsorted({"a", "b"}, "head\nb:1\n  more\na:1\n--\n") == "head\na:1\n--\nb:1\n  more\n");
}

TEST_CASE("a line that is a name, a last line without its end, and no lines") {
  CHECK(unsorted({"a", "b"}, "b\na") == "a\nb\n");
  CHECK(unsorted({"a"}, "").empty());
}
