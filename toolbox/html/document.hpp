// SPDX-License-Identifier: MIT
// document: a whole HTML page around the content that a program shows. The page loads no other file and runs no script. Its colours follow the reader's setting, light or dark.
// The page fits a telephone and a wide screen.
//
// Names may hold any bytes: every text that is not from the program itself goes through escape().
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gray::html {

/// `text` in a form that is safe in a page or in an attribute: markup, control characters and bytes that are not UTF-8 are shown and have no effect. Pure.
std::string escape(std::string_view text);

/// Same as escape(), for a file's name: the line may break at any place in it, and a change of writing direction inside the name ends with the name.
/// Pure.
std::string name(std::string_view text);

/// `seconds` since 1970 as a date and time in this host's time zone.
std::string date(std::uint64_t seconds);

/// A page with `title` as its heading, and `lead`, a paragraph of ready HTML, below that. `body` is ready HTML. Pure.
std::string document(std::string_view title, const std::string& lead, const std::string& body);

/// A heading, a sentence of plain text (may be empty) and ready HTML. Pure.
std::string section(std::string_view title, std::string_view sentence, const std::string& body);

/// A sentence in plain text, shown less prominently. Pure.
std::string note(std::string_view sentence);

/// Figures with a word below each, as many side by side as fit. Plain text. Pure.
std::string tiles(const std::vector<std::pair<std::string, std::string>>& figures);

struct Column {
  std::string name;
  bool is_number = false;
};

/// Cells are ready HTML. On a narrow screen each row becomes a block. Pure.
std::string table(const std::vector<Column>& columns, const std::vector<std::vector<std::string>>& rows);

}  // namespace gray::html
