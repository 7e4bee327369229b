// SPDX-License-Identifier: MIT
#include "toolbox/cli/shell_words.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "toolbox/cli/completion.hpp"

namespace gray::cli {
namespace {

constexpr std::string_view kPlain = "/._-+,:@%=";

}  // namespace

std::string shell_word(const std::string& word) {
  const bool is_plain = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || kPlain.find(c) != std::string_view::npos;
  });
  return is_plain ? word : quoted(word);
}

std::string shell_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + shell_word(word);
  return text;
}

}  // namespace gray::cli
