// SPDX-License-Identifier: MIT
#include "toolbox/base/check.hpp"

#ifndef NDEBUG
#include <sys/syscall.h>

#include <cstring>
#include <initializer_list>

#include "toolbox/base/raw_sys.hpp"
#endif

namespace gray::base {

#ifndef NDEBUG
namespace {

void say(const char* text) {
  raw_syscall(SYS_write, 2, word(text), static_cast<long>(std::strlen(text)));
}

}  // namespace

bool fail_check(const char* condition, const char* file, int line) {
  char digits[12] = {};
  char* first = digits + sizeof digits - 1;
  for (; line > 0; line /= 10) *--first = static_cast<char>('0' + line % 10);
  for (const char* text : {file, ":", static_cast<const char*>(first), ": check failed: ", condition, "\n"})
    say(text);
  __builtin_trap();
}
#else
bool fail_check(const char* /*condition*/, const char* /*file*/, int /*line*/) {
  return false;
}
#endif

}  // namespace gray::base
