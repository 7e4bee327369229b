// SPDX-License-Identifier: MIT
// shell_words: writes a command line in the form in which a person would type it, so that it can be shown and pasted.
#pragma once

#include <string>
#include <vector>

namespace gray::cli {

/// `word`, quoted so that a shell reads it as one word. Pure.
std::string shell_word(const std::string& word);

/// Several words, each quoted, with blanks between them. Pure.
std::string shell_words(const std::vector<std::string>& words);

}  // namespace gray::cli
