// SPDX-License-Identifier: MIT
// columns: one table of columns defines the text, the JSON, the JSON lines, the option --output and its help.
//
// A program defines its columns once:
//
//   const std::vector<Column<File>> kColumns = {
//       {"NAME", "the file's name", Alignment::kLeft, true, [](const File& f) { return Cell(f.name); }},
//       {"CACHED", "bytes in memory", Alignment::kRight, true,
//        [](const File& f) { return Cell(f.cached_bytes, format_bytes(f.cached_bytes)); }}};
//
// A JSON key is the column's name in lower case, or the key that the column gives, such as "read_bytes_per_s" for READ. JSON keys are stable, for scripts. The columns that the
// text shows by default may change, so a script that reads the text names its columns.
#pragma once

#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace gray::cli {

enum class Alignment { kLeft, kRight };

enum class TableFormat {
  kText,            ///< Aligned columns under headings; control characters escaped; a missing value is "-".
  kTextNoHeadings,  ///< The same without the line of headings.
  kJson,            ///< An array with one object for each row.
  kJsonLines,       ///< One object on each line.
};

/// One value of a row: as JSON for machines, as text for people.
struct Cell {
  Cell() = default;  ///< No value: null in JSON, "-" in text.
  explicit Cell(std::string_view shown) : value(shown), text(shown) {}
  explicit Cell(const char* shown) : Cell(std::string_view(shown)) {}
  Cell(nlohmann::ordered_json json_value, std::string shown)
      : value(std::move(json_value)), text(std::move(shown)) {}

  nlohmann::ordered_json value = nullptr;
  std::string text = "-";
};

/// The part of a column that does not depend on the type of row, so that the printing is compiled once.
struct ColumnHead {
  std::string name;
  std::string help;
  Alignment alignment = Alignment::kLeft;
  bool is_default = true;  ///< Shown when --output is not given.
  std::string key = {};    ///< The JSON key; empty: the name in lower case.
};

template <typename Row>
struct Column {
  std::string name;
  std::string help;
  Alignment alignment;
  bool is_default;
  Cell (*cell)(const Row&);
  std::string key = {};
};

/// The columns to print, as indexes in the wanted order, or the reason why the list was not understood.
struct Selection {
  std::vector<std::size_t> indexes;
  std::string problem;
  [[nodiscard]] bool is_ok() const { return problem.empty(); }
};

/// Reads the value of --output: "NAME,SIZE" takes exactly these columns, "+SIZE" adds to the default columns, and an empty list means the default columns. Names match in any
/// case, and so do JSON keys. An unknown name, or a name given twice, is a problem. Its sentence lists the existing names.
Selection select_columns(const std::vector<ColumnHead>& heads, std::string_view list);

/// Lines of "  NAME  what it is" for the end of --help.
std::string describe_columns(const std::vector<ColumnHead>& heads);

/// The whole table as text or JSON, each line ended. Every row has one cell for each head. File names that are not
/// UTF-8 appear in JSON with the replacement character, since JSON cannot carry them. Width counts code
/// points.
std::string format_table(const std::vector<ColumnHead>& heads, const std::vector<std::vector<Cell>>& rows,
                         TableFormat format);

/// The heads of a table of columns, for select_columns() and describe_columns().
template <typename Row>
std::vector<ColumnHead> heads_of(const std::vector<Column<Row>>& columns) {
  std::vector<ColumnHead> heads;
  heads.reserve(columns.size());
  for (const Column<Row>& column : columns) {
    heads.push_back({column.name, column.help, column.alignment, column.is_default, column.key});
  }
  return heads;
}

/// format_table() of the selected columns of `rows`.
template <typename Row>
std::string format_rows(const std::vector<Column<Row>>& columns, const Selection& selection,
                        const std::vector<Row>& rows, TableFormat format) {
  const std::vector<ColumnHead> all_heads = heads_of(columns);
  std::vector<ColumnHead> heads;
  for (const std::size_t index : selection.indexes) heads.push_back(all_heads[index]);
  std::vector<std::vector<Cell>> cells;
  for (const Row& row : rows) {
    std::vector<Cell> line;
    for (const std::size_t index : selection.indexes) line.push_back(columns[index].cell(row));
    cells.push_back(std::move(line));
  }
  return format_table(heads, cells, format);
}

}  // namespace gray::cli
