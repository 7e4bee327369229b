// SPDX-License-Identifier: MIT
// inputs_test: lists of names are read byte for byte, and what is wrong with one is said.
//
// How: lists of names in files of a fresh folder. Leaves out standard input (tests/cli/gbp_manners_test.sh).
#include "tests/support/catch.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tools/gbp/inputs.hpp"

namespace {

using Names = std::vector<std::string>;

// A list in a folder of its own, removed at the end.
class List {
 public:
  explicit List(const std::string& bytes) {
    std::string folder = (std::filesystem::temp_directory_path() / "gbp-inputs.XXXXXX").string();
    REQUIRE(mkdtemp(folder.data()) != nullptr);
    folder_ = folder;
    std::ofstream(path(), std::ios::binary) << bytes;
  }
  ~List() { std::filesystem::remove_all(folder_); }
  List(const List&) = delete;
  List& operator=(const List&) = delete;
  [[nodiscard]] std::string path() const { return (folder_ / "names").string(); }

 private:
  std::filesystem::path folder_;
};

}  // namespace

TEST_CASE("names are separated by NUL and taken byte for byte, the last with or without its NUL") {
  const std::string ending = GENERATE(std::string(), std::string(1, '\0'));
  const std::string separator(1, '\0');
  const List list("a b" + separator + "new\nline" + separator + "\xff-" + ending);
  Names names = {"first"};
  CHECK(gbp::read_names(list.path(), names).empty());
  CHECK(names == Names{"first", "a b", "new\nline", "\xff-"});
}

TEST_CASE("an empty list holds no names and is no error") {
  const List list("");
  Names names;
  CHECK(gbp::read_names(list.path(), names).empty());
  CHECK(names.empty());
}

TEST_CASE("an empty name is an error that names the list") {
  const List list(std::string("a\0\0b", 4));
  Names names;
  CHECK(gbp::read_names(list.path(), names).find(list.path()) != std::string::npos);
}

TEST_CASE("a list that cannot be opened or read is an error that names it") {
  const List list("a");
  Names names;
  CHECK(gbp::read_names(list.path() + "x", names).find("No such file") != std::string::npos);
  const std::string folder = std::filesystem::path(list.path()).parent_path().string();
  CHECK(gbp::read_names(folder, names).find(folder) != std::string::npos);
}
