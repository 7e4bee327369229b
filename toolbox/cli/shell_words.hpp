// SPDX-License-Identifier: MIT
// shell_words: a command line as a person would type it, to be shown and pasted.
#pragma once

#include <string>
#include <vector>

namespace gray::cli {

/// As a shell takes it for one word. Pure.
std::string shell_word(const std::string& word);

/// The same of several, with blanks between. Pure.
std::string shell_words(const std::vector<std::string>& words);

}  // namespace gray::cli
