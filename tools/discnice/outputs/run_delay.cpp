// SPDX-License-Identifier: MIT
#include "tools/discnice/outputs/run_delay.hpp"

#include "tools/discnice/outputs/small_file.hpp"

namespace discnice::outputs {
namespace {

constexpr std::size_t kTextBytesMax = 96;

bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

}  // namespace

bool parse_run_delay(const char* text, std::size_t length, std::uint64_t* delay_ns) {
  std::size_t at = 0;
  while (at < length && is_digit(text[at])) ++at;
  if (at == 0 || at == length || text[at++] != ' ') return false;
  std::uint64_t value = 0;
  const std::size_t first = at;
  for (; at < length && is_digit(text[at]); ++at)
    value = value * 10 + static_cast<std::uint64_t>(text[at] - '0');
  *delay_ns = value;
  return at != first && at < length && text[at] == ' ';
}

bool read_run_delay(std::uint64_t* delay_ns) {
  char text[kTextBytesMax];
  const long length = read_small_file("/proc/thread-self/schedstat", text, sizeof text);
  return length > 0 && parse_run_delay(text, static_cast<std::size_t>(length), delay_ns);
}

}  // namespace discnice::outputs
