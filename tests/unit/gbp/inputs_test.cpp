// SPDX-License-Identifier: MIT
// inputs_test: lists of names are read byte for byte, and an error in a list is reported.
//
// How: lists of names in files of a fresh folder. Left out: standard input (tests/cli/gbp_manners_test.sh).
#include "tests/support/catch.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tools/gbp/inputs.hpp"

namespace {

using Texts = std::vector<std::string>;

Texts texts_of(const gbp::Names& names) {
  Texts texts;
  for (std::size_t i = 0; i < names.size(); ++i) texts.emplace_back(names[i]);
  return texts;
}

// A list in a folder of its own, which is removed at the end.
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
  gbp::Names names;
  names.add("first");
  CHECK(gbp::read_names(list.path(), '\0', names).empty());
  CHECK(texts_of(names) == Texts{"first", "a b", "new\nline", "\xff-"});
}

TEST_CASE("an empty list holds no names and is no error") {
  const List list("");
  gbp::Names names;
  CHECK(gbp::read_names(list.path(), '\0', names).empty());
  CHECK(names.empty());
}

TEST_CASE("an empty name is an error that names the list") {
  const List list(std::string("a\0\0b", 4));
  gbp::Names names;
  CHECK(gbp::read_names(list.path(), '\0', names).find(list.path()) != std::string::npos);
}

TEST_CASE("a list that cannot be opened or read is an error that names it") {
  const List list("a");
  gbp::Names names;
  CHECK(gbp::read_names(list.path() + "x", '\0', names).find("No such file") != std::string::npos);
  const std::string folder = std::filesystem::path(list.path()).parent_path().string();
  CHECK(gbp::read_names(folder, '\0', names).find(folder) != std::string::npos);
}

TEST_CASE("names may stand one a line, where empty lines are passed over and NUL is an error") {
  const List list("a b\n\nc\xff");
  gbp::Names names;
  CHECK(gbp::read_names(list.path(), '\n', names).empty());
  CHECK(texts_of(names) == Texts{"a b", "c\xff"});
  const List wrong(std::string("a\0b\n", 4));
  CHECK(gbp::read_names(wrong.path(), '\n', names).find("--files0-from") != std::string::npos);
}

TEST_CASE("names longer than a block of their memory are kept whole") {
  gbp::Names names;
  const std::string longest(1U << 20U, 'x');
  names.add("short");
  names.add(longest);
  names.add("");
  CHECK(texts_of(names) == Texts{"short", longest, ""});
}
