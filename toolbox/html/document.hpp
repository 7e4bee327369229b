// SPDX-License-Identifier: MIT
// document: a whole HTML page around the results of a program. The page needs no other files and runs no script. Its colours are light or dark as the reader's browser asks. It
// fits a telephone as well as a wide screen.
//
// Names may come from anywhere, so every text that this project did not write goes through escape().
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gray::html {

/// `text` in a form that may stand in a page or in an attribute: markup, control characters and bytes that are not UTF-8 are shown and have no effect. Pure.
std::string escape(std::string_view text);

/// The same for the name of a file: the name may break at any place, and a change of writing direction in it ends with it. Pure.
std::string name(std::string_view text);

/// `seconds` since 1970 as a date and a time of this host.
std::string date(std::uint64_t seconds);

/// A page with `title` as its heading, and `lead`, a paragraph of ready HTML, below that. `body` is ready HTML. Pure.
std::string document(std::string_view title, const std::string& lead, const std::string& body);

/// A heading, a sentence of plain text (may be empty) and ready HTML. Pure.
std::string section(std::string_view title, std::string_view sentence, const std::string& body);

/// A sentence in plain text in a muted colour. Pure.
std::string note(std::string_view sentence);

/// Figures with a word below each, side by side if there is space. Plain text. Pure.
std::string tiles(const std::vector<std::pair<std::string, std::string>>& figures);

struct Column {
  std::string name;
  bool is_number = false;
};

/// Cells are ready HTML. On a narrow screen each row becomes a block. Pure.
std::string table(const std::vector<Column>& columns, const std::vector<std::vector<std::string>>& rows);

}  // namespace gray::html
