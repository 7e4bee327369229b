// SPDX-License-Identifier: MIT
// columns_test: a table of columns as text, JSON and JSON lines, and the parsing of --output.
//
// How: the output of a two-row table with an unusual file name is compared with literal texts. The JSON library
// reads the JSON back.
// Left out: the display width of wide characters, which columns does not know.
#include "toolbox/cli/columns.hpp"

#include "tests/support/catch.hpp"

using namespace gray::cli;

namespace {

struct File {
  std::string name;
  std::uint64_t size_bytes;
};

const std::vector<Column<File>> kColumns = {
    {"NAME", "the name", Alignment::kLeft, true, [](const File& file) { return Cell(file.name); }},
    {"SIZE", "its bytes", Alignment::kRight, true,
     [](const File& file) { return Cell(file.size_bytes, std::to_string(file.size_bytes) + " B"); }},
    {"MODE", "its mode", Alignment::kLeft, false, [](const File&) { return Cell(); }},
};

const std::vector<File> kRows = {{"a\nb", 5}, {"l\xc3\xa4nger", 12345}};

std::string format(std::string_view list, TableFormat format) {
  return format_rows(kColumns, select_columns(heads_of(kColumns), list), kRows, format);
}

}  // namespace

TEST_CASE("text is aligned under its headings and a newline in a name does not break the line", "[cli]") {
  CHECK(format("", TableFormat::kText) ==
        "NAME       SIZE\n"
        "a\\nb        5 B\n"
        "l\xc3\xa4nger  12345 B\n");
}

TEST_CASE("headings can be left out, and the last left-aligned column carries no blanks", "[cli]") {
  CHECK(format("size,name", TableFormat::kTextNoHeadings) == "    5 B  a\\nb\n12345 B  l\xc3\xa4nger\n");
}

TEST_CASE("JSON carries the plain values under lower-case keys in column order", "[cli]") {
  const std::string text = format("+mode", TableFormat::kJson);
  const auto parsed = nlohmann::ordered_json::parse(text);
  REQUIRE(parsed.size() == 2);
  CHECK(parsed[0].dump() == R"({"name":"a\nb","size":5,"mode":null})");
  CHECK(parsed[1]["size"] == 12345);
}

TEST_CASE("JSON lines are one object a line", "[cli]") {
  CHECK(format("size", TableFormat::kJsonLines) == "{\"size\":5}\n{\"size\":12345}\n");
}

TEST_CASE("a name that is not UTF-8 still gives valid JSON", "[cli]") {
  const std::vector<File> rows = {{"\xff", 1}};
  const auto text =
      format_rows(kColumns, select_columns(heads_of(kColumns), "name"), rows, TableFormat::kJson);
  CHECK(nlohmann::json::parse(text)[0]["name"] == "\xef\xbf\xbd");
}

TEST_CASE("an empty table is headings as text and an empty array as JSON", "[cli]") {
  const Selection all = select_columns(heads_of(kColumns), "");
  const std::vector<File> none;
  CHECK(format_rows(kColumns, all, none, TableFormat::kText) == "NAME  SIZE\n");
  CHECK(format_rows(kColumns, all, none, TableFormat::kJson) == "[]\n");
  CHECK(format_rows(kColumns, all, none, TableFormat::kJsonLines).empty());
}

TEST_CASE("a list of columns takes exactly these and a plus adds to the default", "[cli]") {
  const auto heads = heads_of(kColumns);
  using Indexes = std::vector<std::size_t>;
  CHECK(select_columns(heads, "").indexes == Indexes{0, 1});
  CHECK(select_columns(heads, "Mode,name").indexes == Indexes{2, 0});
  CHECK(select_columns(heads, "+mode,name").indexes == Indexes{0, 1, 2});
}

TEST_CASE("a wrong list of columns says which name is wrong and which there are", "[cli]") {
  const auto heads = heads_of(kColumns);
  CHECK(select_columns(heads, "name,inode").problem == "unknown column 'inode': there are NAME, SIZE, MODE");
  CHECK(select_columns(heads, "name,").problem == "unknown column '': there are NAME, SIZE, MODE");
  CHECK(select_columns(heads, "+").problem == "unknown column '': there are NAME, SIZE, MODE");
  CHECK(select_columns(heads, "name,NAME").problem == "column 'NAME' is named twice");
}

TEST_CASE("the help of the columns comes from the same table", "[cli]") {
  CHECK(describe_columns(heads_of(kColumns)) == "  NAME  the name\n  SIZE  its bytes\n  MODE  its mode\n");
}
