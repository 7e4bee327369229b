// SPDX-License-Identifier: MIT
#include "tools/discnice/outputs/io_pressure.hpp"

#include <cstring>

#include "tools/discnice/outputs/small_file.hpp"

namespace discnice::outputs {
namespace {

constexpr std::size_t kTextBytesMax = 256;
constexpr char kLine[] = "some ";
constexpr char kField[] = " total=";
constexpr std::uint64_t kMicrosecondNs = 1000;

}  // namespace

bool parse_io_pressure(const char* text, std::size_t length, std::uint64_t* stalled_ns) {
  if (length < sizeof kLine || std::memcmp(text, kLine, sizeof kLine - 1) != 0) return false;
  const std::size_t field = sizeof kField - 1;
  for (std::size_t i = 0; i + field < length && text[i] != '\n'; ++i) {
    if (std::memcmp(text + i, kField, field) != 0) continue;
    std::uint64_t total_us = 0;
    std::size_t at = i + field;
    const std::size_t first = at;
    for (; at < length && text[at] >= '0' && text[at] <= '9'; ++at)
      total_us = total_us * 10 + static_cast<std::uint64_t>(text[at] - '0');
    *stalled_ns = total_us * kMicrosecondNs;
    return at != first;
  }
  return false;
}

bool read_io_pressure(std::uint64_t* stalled_ns) {
  char text[kTextBytesMax];
  const long length = read_small_file("/proc/pressure/io", text, sizeof text);
  return length > 0 && parse_io_pressure(text, static_cast<std::size_t>(length), stalled_ns);
}

}  // namespace discnice::outputs
