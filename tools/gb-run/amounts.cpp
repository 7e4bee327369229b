// SPDX-License-Identifier: MIT
#include "tools/gb-run/amounts.hpp"

#include <charconv>
#include <utility>

#include "toolbox/base/units.hpp"
#include "toolbox/cli/quantities.hpp"

namespace gb_run {

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
                                 std::uint64_t multiple_bytes) {
  const std::pair<std::string, std::string> texts[] = {
      {"{}", std::to_string(bytes / gray::base::kKiB) + "K"},
      {"{b}", std::to_string(bytes)},
      {"{m}", std::to_string(bytes / gray::base::kMiB)},
      {"{n}", std::to_string(bytes / multiple_bytes)},
  };
  std::vector<std::string> filled;
  for (const std::string& word : words) {
    std::string text;
    for (std::size_t i = 0; i < word.size();) {
      std::size_t taken = 0;
      for (const auto& [mark, value] : texts) {
        if (word.compare(i, mark.size(), mark) != 0) continue;
        text += value;
        taken = mark.size();
        break;
      }
      if (taken == 0) text += word[i];
      i += taken == 0 ? 1 : taken;
    }
    filled.push_back(text);
  }
  return filled;
}

}  // namespace gb_run
