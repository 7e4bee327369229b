// SPDX-License-Identifier: MIT
// own_text: functions of libc for bytes and texts that a start of the library uses. These copies are for the library alone.
//
// libc chooses the code of such functions at run time. So each name costs a look-up and a choice in every program that is started, a third of a
// microsecond, and a start handles only some hundred bytes. So these copies are as plain as possible. Functions for long data
// (memchr, in a stream's buffer) are left to libc. The compiler replaces a loop that looks like memcpy by a call of memcpy, but not in this file (CMakeLists.txt).
#include <cstddef>
#include <cstdint>

#define OWN_TEXT extern "C" __attribute__((visibility("hidden")))

namespace {

using Byte = unsigned char;

int difference(char a, char b) {
  return static_cast<Byte>(a) - static_cast<Byte>(b);
}

}  // namespace

OWN_TEXT void* memcpy(void* __restrict to, const void* __restrict from, std::size_t size_bytes) {
  auto* out = static_cast<Byte*>(to);
  const auto* in = static_cast<const Byte*>(from);
  for (; size_bytes >= sizeof(std::uint64_t); size_bytes -= sizeof(std::uint64_t)) {
    __builtin_memcpy(out, in, sizeof(std::uint64_t));  // of a fixed size: two instructions
    out += sizeof(std::uint64_t);
    in += sizeof(std::uint64_t);
  }
  while (size_bytes-- != 0) *out++ = *in++;
  return to;
}

// The next two functions are not for the start, but for calls. libc's functions would be looked up at their first use, deep in a call of the program,
// and the look-up takes more stack than the whole library.
OWN_TEXT void* memset(void* to, int value, std::size_t size_bytes) {
  constexpr std::uint64_t kEveryByte = ~std::uint64_t{0} / UINT8_MAX;
  const std::uint64_t eight = static_cast<Byte>(value) * kEveryByte;
  auto* out = static_cast<Byte*>(to);
  for (; size_bytes >= sizeof eight; size_bytes -= sizeof eight) {
    __builtin_memcpy(out, &eight, sizeof eight);
    out += sizeof eight;
  }
  while (size_bytes-- != 0) *out++ = static_cast<Byte>(value);
  return to;
}

OWN_TEXT void* memmove(void* to, const void* from, std::size_t size_bytes) {
  auto* out = static_cast<Byte*>(to);
  const auto* in = static_cast<const Byte*>(from);
  if (out <= in) {
    while (size_bytes-- != 0) *out++ = *in++;
  } else {
    while (size_bytes-- != 0) out[size_bytes] = in[size_bytes];
  }
  return to;
}

OWN_TEXT int memcmp(const void* a, const void* b, std::size_t size_bytes) {
  const auto* left = static_cast<const Byte*>(a);
  const auto* right = static_cast<const Byte*>(b);
  for (; size_bytes != 0; --size_bytes, ++left, ++right) {
    if (*left != *right) return *left - *right;
  }
  return 0;
}

OWN_TEXT std::size_t strlen(const char* text) {
  const char* end = text;
  while (*end != '\0') ++end;
  return static_cast<std::size_t>(end - text);
}

OWN_TEXT int strcmp(const char* a, const char* b) {
  for (; *a != '\0' && *a == *b; ++a) ++b;
  return difference(*a, *b);
}

OWN_TEXT int strncmp(const char* a, const char* b, std::size_t length_max) {
  for (; length_max != 0; --length_max, ++a, ++b) {
    if (*a != *b || *a == '\0') return difference(*a, *b);
  }
  return 0;
}

OWN_TEXT char* strchr(const char* text, int character) {
  for (; *text != static_cast<char>(character); ++text) {
    if (*text == '\0') return nullptr;
  }
  return const_cast<char*>(text);
}

OWN_TEXT char* strrchr(const char* text, int character) {
  const char* last = nullptr;
  for (;; ++text) {
    if (*text == static_cast<char>(character)) last = text;
    if (*text == '\0') return const_cast<char*>(last);
  }
}
