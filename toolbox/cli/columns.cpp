// SPDX-License-Identifier: MIT
#include "toolbox/cli/columns.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "toolbox/cli/diagnostics.hpp"

namespace gray::cli {
namespace {

using Json = nlohmann::ordered_json;
using Rows = std::vector<std::vector<Cell>>;

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), lower);
  return result;
}

std::string names_of(const std::vector<ColumnHead>& heads) {
  std::string names;
  for (const ColumnHead& head : heads) names += (names.empty() ? "" : ", ") + head.name;
  return names;
}

std::string key_of(const ColumnHead& head) {
  return head.key.empty() ? lower_case(head.name) : head.key;
}

std::size_t find_head(const std::vector<ColumnHead>& heads, std::string_view name) {
  const std::string wanted = lower_case(name);
  std::size_t index = 0;
  while (index < heads.size() && lower_case(heads[index].name) != wanted && key_of(heads[index]) != wanted)
    ++index;
  return index;
}

std::size_t width_of(std::string_view text) {
  // A UTF-8 code point has one byte that is not a continuation byte (10xxxxxx).
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

std::string padded(std::string_view text, std::size_t width, Alignment alignment, bool is_last) {
  const std::string blanks(width - width_of(text), ' ');
  if (alignment == Alignment::kRight) return blanks + std::string(text);
  return is_last ? std::string(text) : std::string(text) + blanks;
}

std::string format_line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths,
                        const std::vector<ColumnHead>& heads) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line += "  ";
    line += padded(cells[i], widths[i], heads[i].alignment, i + 1 == cells.size());
  }
  return line + "\n";
}

std::string format_text(const std::vector<ColumnHead>& heads, const Rows& rows, bool has_headings) {
  std::vector<std::vector<std::string>> lines;
  if (has_headings) {
    lines.emplace_back();
    for (const ColumnHead& head : heads) lines.back().push_back(head.name);
  }
  for (const auto& row : rows) {
    lines.emplace_back();
    for (const Cell& cell : row) lines.back().push_back(escape_controls(cell.text));
  }
  std::vector<std::size_t> widths(heads.size(), 0);
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], width_of(line[i]));
  }
  std::string text;
  for (const auto& line : lines) text += format_line(line, widths, heads);
  return text;
}

Json json_row(const std::vector<ColumnHead>& heads, const std::vector<Cell>& row) {
  Json object = Json::object();
  for (std::size_t i = 0; i < row.size(); ++i) object[key_of(heads[i])] = row[i].value;
  return object;
}

std::string dump(const Json& value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

Selection select_columns(const std::vector<ColumnHead>& heads, std::string_view list) {
  Selection selection;
  const bool is_addition = list.empty() || list.front() == '+';
  if (is_addition) {
    for (std::size_t i = 0; i < heads.size(); ++i) {
      if (heads[i].is_default) selection.indexes.push_back(i);
    }
    if (list.empty()) return selection;
    list.remove_prefix(1);
  }
  for (;;) {
    const std::size_t comma = list.find(',');
    const std::string_view name = list.substr(0, comma);
    const std::size_t index = find_head(heads, name);
    if (index == heads.size()) {
      return {{}, fmt::format("unknown column '{}': there are {}", escape_controls(name), names_of(heads))};
    }
    if (std::find(selection.indexes.begin(), selection.indexes.end(), index) != selection.indexes.end()) {
      if (!is_addition) return {{}, fmt::format("column '{}' is named twice", heads[index].name)};
    } else {
      selection.indexes.push_back(index);
    }
    if (comma == std::string_view::npos) return selection;
    list.remove_prefix(comma + 1);
  }
}

std::string describe_columns(const std::vector<ColumnHead>& heads) {
  std::size_t width = 0;
  for (const ColumnHead& head : heads) width = std::max(width, width_of(head.name));
  std::string text;
  for (const ColumnHead& head : heads) {
    text += "  " + padded(head.name, width, Alignment::kLeft, false) + "  " + head.help + "\n";
  }
  return text;
}

std::string format_table(const std::vector<ColumnHead>& heads, const Rows& rows, TableFormat format) {
  if (format == TableFormat::kText) return format_text(heads, rows, true);
  if (format == TableFormat::kTextNoHeadings) return format_text(heads, rows, false);
  if (format == TableFormat::kJson) {
    Json array = Json::array();
    for (const auto& row : rows) array.push_back(json_row(heads, row));
    return dump(array, 2);
  }
  std::string lines;
  for (const auto& row : rows) lines += dump(json_row(heads, row), -1);
  return lines;
}

}  // namespace gray::cli
