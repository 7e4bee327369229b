// SPDX-License-Identifier: MIT
// own_text_test: the library's own functions for bytes and texts return the same as libc's.
//
// How: the file is compiled into this program under other names, and its functions are compared with those of libc. Left out: that the compiler does not turn them into calls of
// libc. If it did, no start of the library would succeed.
#include <algorithm>
#include <cstring>
#include <string>

#include "tests/support/catch.hpp"

#define memcpy own_memcpy
#define memcmp own_memcmp
#define memmove own_memmove
#define memset own_memset
#define strlen own_strlen
#define strcmp own_strcmp
#define strncmp own_strncmp
#define strchr own_strchr
#define strrchr own_strrchr
#include "tools/discnice/preload/process/own_text.cpp"  // NOLINT(bugprone-suspicious-include): compiled under these names
#undef memcpy
#undef memcmp
#undef memmove
#undef memset
#undef strlen
#undef strcmp
#undef strncmp
#undef strchr
#undef strrchr

namespace {

const char* const kTexts[] = {
    "",     "a", "b", "ab", "abc", "abd", "ab\xff", "\xff", "/usr/lib/libone.so", "/usr/lib/libother.so",
    "a=b=c"};

int sign(int difference) {
  return (difference > 0) - (difference < 0);
}

}  // namespace

TEST_CASE("copies are whole and touch nothing beside them, whatever their size and place") {
  const std::string from = "0123456789abcdefghijklmnopqrstuvwxyz";
  for (std::size_t start = 0; start < 9; ++start) {
    for (std::size_t size = 0; size + start <= from.size(); ++size) {
      std::string to(64, '.');
      std::string expected = to;
      expected.replace(3, size, from, start, size);
      CHECK(own_memcpy(to.data() + 3, from.data() + start, size) == to.data() + 3);
      CHECK(to == expected);
    }
  }
}

TEST_CASE("bytes are set as many as asked and none beside them") {
  for (std::size_t start = 0; start < 9; ++start) {
    for (std::size_t size = 0; size < 40; ++size) {
      std::string to(64, '.');
      std::string expected = to;
      expected.replace(start, size, size, '\xfe');
      CHECK(own_memset(to.data() + start, 0x1fe, size) == to.data() + start);
      CHECK(to == expected);
    }
  }
}

TEST_CASE("bytes are moved onto themselves, either way") {
  for (std::size_t from = 0; from < 12; ++from) {
    for (std::size_t to = 0; to < 12; ++to) {
      std::string text = "0123456789abcdefghijklmnopqrstuvwxyz";
      std::string expected = text;
      std::memmove(expected.data() + to, expected.data() + from, 20);
      own_memmove(text.data() + to, text.data() + from, 20);
      CHECK(text == expected);
    }
  }
}

TEST_CASE("texts are compared as libc compares them") {
  for (const char* a : kTexts) {
    for (const char* b : kTexts) {
      CHECK(sign(own_strcmp(a, b)) == sign(std::strcmp(a, b)));
      for (std::size_t length = 0; length < 20; ++length)
        CHECK(sign(own_strncmp(a, b, length)) == sign(std::strncmp(a, b, length)));
      const std::size_t both = std::min(std::strlen(a), std::strlen(b)) + 1;
      CHECK(sign(own_memcmp(a, b, both)) == sign(std::memcmp(a, b, both)));
    }
  }
}

TEST_CASE("a text's length and its characters are found as by libc") {
  for (const char* text : kTexts) {
    CHECK(own_strlen(text) == std::strlen(text));
    for (const int character : {int{'a'}, int{'b'}, int{'/'}, 0xff, 0, 'a' + 256}) {
      CHECK(own_strchr(text, character) == std::strchr(text, character));
      CHECK(own_strrchr(text, character) == std::strrchr(text, character));
    }
  }
}
