// SPDX-License-Identifier: MIT
#include "tools/gb-run/amounts.hpp"

#include <charconv>
#include <span>
#include <string_view>

#include "toolbox/base/units.hpp"
#include "toolbox/cli/quantities.hpp"

namespace gb_run {
namespace {

struct Text {
  std::string_view mark;
  std::string value;
};

// Whether the text behind `head` is a value: the whole word, the value of an option (-Xmx{}), or the value of a variable or long option (SIZE={}). Otherwise
// the braces belong to another program's text, such as '{n}' in a longer awk program.
bool is_before_value(std::string_view head) {
  return head.empty() || head.front() == '-' || head.back() == '=';
}

std::string with_end_filled(const std::string& word, std::span<const Text> texts) {
  for (const Text& text : texts) {
    if (!word.ends_with(text.mark)) continue;
    const std::string head = word.substr(0, word.size() - text.mark.size());
    if (is_before_value(head)) return head + text.value;
  }
  return word;
}

std::string with_mark_filled(std::string word, const std::string& mark, const std::string& value) {
  if (mark.empty()) return word;
  for (std::size_t at = word.find(mark); at != std::string::npos; at = word.find(mark, at + value.size()))
    word.replace(at, mark.size(), value);
  return word;
}

}  // namespace

std::string read_amount(const std::string& text, std::uint64_t whole_bytes, std::uint64_t& bytes) {
  if (text.empty() || text.back() != '%') {
    const gray::cli::Reading reading = gray::cli::read_bytes(text);
    bytes = reading.value;
    return reading.problem;
  }
  double percent = 0;
  const char* end = text.data() + text.size() - 1;
  const auto [stop, error] = std::from_chars(text.data(), end, percent);
  if (error != std::errc{} || stop != end || !(percent > 0 && percent <= 100))
    return "'" + text + "' is no share of memory: write 1% to 100%";
  bytes = static_cast<std::uint64_t>(static_cast<double>(whole_bytes) * percent / 100);
  return "";
}

std::vector<std::string> fill_in(const std::vector<std::string>& words, std::uint64_t bytes,
                                 std::uint64_t multiple_bytes, const std::optional<std::string>& mark) {
  const std::string kibibytes = std::to_string(bytes / gray::base::kKiB) + "K";
  const Text texts[] = {
      {"{}", kibibytes},
      {"{b}", std::to_string(bytes)},
      {"{m}", std::to_string(bytes / gray::base::kMiB)},
      {"{n}", std::to_string(bytes / multiple_bytes)},
  };
  std::vector<std::string> filled;
  filled.reserve(words.size());
  for (const std::string& word : words)
    filled.push_back(mark ? with_mark_filled(word, *mark, kibibytes) : with_end_filled(word, texts));
  return filled;
}

}  // namespace gb_run
