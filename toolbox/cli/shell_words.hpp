// SPDX-License-Identifier: MIT
// shell_words: quotes a command line so that a person can read it and paste it into a shell.
#pragma once

#include <string>
#include <vector>

namespace gray::cli {

/// Quotes a text so that a shell takes it as one word. Pure.
std::string shell_word(const std::string& word);

/// Quotes several words, with blanks between them. Pure.
std::string shell_words(const std::vector<std::string>& words);

}  // namespace gray::cli
