// SPDX-License-Identifier: MIT
// symbols_test: the output of the symbolizers is read correctly, and offsets in files are converted to addresses.
#include "tools/discnice/cli/symbols.hpp"

#include <filesystem>
#include <sstream>

#include "tests/support/catch.hpp"

namespace {

using namespace discnice::cli;

TEST_CASE("functions are read with those inlined into them, the outermost first") {
  std::istringstream output(
      "0x0000000000001149\ninner\n/src/a.c:3\nouter(int)\n/src/a.c:9\n"
      "0x0000000000001200\n??\n??:0\n"
      "0x0000000000001300\nmain\n??:?\n");
  const std::vector<FunctionNames> names = parse_addr2line(output, 3);
  REQUIRE(names.size() == 3);
  CHECK(names[0] == FunctionNames{"outer(int)", "inner"});
  CHECK(names[1].empty());
  CHECK(names[2] == FunctionNames{"main"});
}

TEST_CASE("an answer that is too short or too long names no more than was asked for") {
  std::istringstream none("");
  CHECK(parse_addr2line(none, 2) == std::vector<FunctionNames>(2));
  std::istringstream torn("0x1\nmain");
  CHECK(parse_addr2line(torn, 1) == std::vector<FunctionNames>(1));
  std::istringstream more("0x1\nmain\n?\n0x2\nother\n?\n");
  CHECK(parse_addr2line(more, 1) == std::vector<FunctionNames>(1, FunctionNames{"main"}));
  std::istringstream noise("tool: what?\nmore\n0x1\nmain\n?\n");
  CHECK(parse_addr2line(noise, 1) == std::vector<FunctionNames>(1));
}

TEST_CASE("the first byte of a program is at its first address; what is no program has none") {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  CHECK(virtual_address(self, 0).has_value());
  CHECK_FALSE(virtual_address(self, UINT64_MAX).has_value());
  CHECK_FALSE(virtual_address("/proc/self/maps", 0).has_value());
  CHECK_FALSE(virtual_address("/no/such/file", 0).has_value());
}

}  // namespace
