// SPDX-License-Identifier: MIT
#include "toolbox/base/check.hpp"

#include <atomic>

#ifndef NDEBUG
#include <sys/syscall.h>

#include <cstring>

#include "toolbox/base/raw_sys.hpp"
#endif

namespace gray::base {
namespace {

// Constant initialised: there is no constructor to run before the first check. Writer of all: any thread that
// fails.
std::atomic<std::uint64_t> failures{0};
std::atomic<const char*> first_condition{
    nullptr};  // released last, so whoever acquires it sees file and line
std::atomic<const char*> first_file{nullptr};
std::atomic<int> first_line{0};

#ifndef NDEBUG
void say(const char* text) {
  raw_syscall(SYS_write, 2, word(text), static_cast<long>(std::strlen(text)));
}

[[noreturn]] void trap(const char* condition, const char* file, int line) {
  char digits[12] = {};
  char* first = digits + sizeof digits - 1;
  for (; line > 0; line /= 10) *--first = static_cast<char>('0' + line % 10);
  for (const char* text : {file, ":", static_cast<const char*>(first), ": check failed: ", condition, "\n"})
    say(text);
  __builtin_trap();
}
#endif

}  // namespace

std::uint64_t failed_check_count() {
  return failures.load(std::memory_order_relaxed);
}

FailedCheck first_failed_check() {
  const char* const condition = first_condition.load(std::memory_order_acquire);  // pairs with fail_check()
  if (condition == nullptr) return {nullptr, nullptr, 0};
  return {condition, first_file.load(std::memory_order_relaxed), first_line.load(std::memory_order_relaxed)};
}

bool fail_check(const char* condition, const char* file, int line) {
#ifndef NDEBUG
  trap(condition, file, line);
#else
  // The counter elects the first: only the thread that moved it from zero writes the three fields.
  if (failures.fetch_add(1, std::memory_order_relaxed) == 0) {
    first_file.store(file, std::memory_order_relaxed);
    first_line.store(line, std::memory_order_relaxed);
    first_condition.store(condition, std::memory_order_release);  // pairs with first_failed_check()
  }
  return false;
#endif
}

}  // namespace gray::base
