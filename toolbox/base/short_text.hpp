// SPDX-License-Identifier: MIT
// short_text: appends texts and numbers in a buffer of the caller. It is for names and paths inside the program that loads the library, because stdio may not
// be used there.
#pragma once

#include <cstdint>

namespace gray::base {

/// Copies `text` without its terminating zero to `out`; returns the end of the copy. The caller provides enough room.
inline char* append_text(char* out, const char* text) {
  while (*text != '\0') *out++ = *text++;
  return out;
}

/// Writes a number in decimal, at most 20 characters; returns the end of the text.
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
