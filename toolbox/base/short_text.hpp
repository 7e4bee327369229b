// SPDX-License-Identifier: MIT
// short_text: puts texts and numbers behind one another in a buffer of the caller's. For names and paths in a
// host process, where stdio is out of bounds.
#pragma once

#include <cstdint>

namespace gray::base {

/// Copies `text` without its end to `out`; returns where it ends there. The caller has made room.
inline char* append_text(char* out, const char* text) {
  while (*text != '\0') *out++ = *text++;
  return out;
}

/// Writes a number in decimal, at most 20 characters; returns where it ends.
inline char* append_number(char* out, std::uint64_t number) {
  char digits[20];
  int count = 0;
  do {
    digits[count++] = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  while (count > 0) *out++ = digits[--count];
  return out;
}

}  // namespace gray::base
